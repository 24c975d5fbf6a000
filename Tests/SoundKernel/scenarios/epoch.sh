# A card of 44.1 kHz is pulled in play, and what comes back under its name has 48 kHz only: the clock runs on without
# a bent interval, at the rate that the card has, whatever was asked for.
# checks: 7
# apart: not run yet with everything else of this version
# programs: tactusd
. ./lib.sh
playing() { grep -q RUNNING /proc/asound/card1/pcm0p/sub0/status; }
stage() { echo "pcm.stage { type hw card Dummy rate $1 }" >/tmp/.asoundrc; }
driver=/sys/bus/platform/drivers/snd_dummy
stage 44100
probe --until-stop --seconds 90 --bpm 113
daemon 4/4 113 --device stage --rate 96000 --midi-connect clockprobe
check "it plays at the rate that the card has" until_true 10 grep "'stage' plays at 44100 Hz" /out/tactusd.log
sleep 5
echo snd_dummy.0 >$driver/unbind &
check "the card is let go" until_true 5 test ! -e /proc/asound/card1
stage 48000
sleep 2
echo snd_dummy.0 >$driver/bind
check "the card is taken back at its new rate" until_true 10 grep "'stage' plays at 48000 Hz" /out/tactusd.log
sleep 5
stop_daemon
wait $probe
cat /out/probe /out/tactusd.log
equal "no pulse is lost or comes twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
# 60 / 113 / 24 s; frames of the new length would be 1.8 ms an interval early.
equal "no interval is bent" "$(irregular /out/events 0 999999999999999 22123894 100000)" 0
within "pulses stay on one line" "$(value /out/probe 'arrival residual_us' spread)" 0 200 us
equal "it ended well" "$daemon_status" 0
