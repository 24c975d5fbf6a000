# A card of 44.1 kHz is pulled in play, and what comes back under its name has 48 kHz only: the clock runs on without
# a bent interval, at the rate that the card has, whatever was asked for.
# checks: 7
# programs: tactusd arecord
. ./lib.sh
# What listens at the other end of the loopback decides its rate.
stage() { echo "pcm.stage { type hw card $1 }" >/tmp/.asoundrc; }
listen() {
  arecord -q -D hw:CARD=Loopback,DEV=1 -f S16_LE -c 2 -r "$1" -t raw >/dev/null 2>&1 &
  until_true 5 grep -q "rate: $1" /proc/asound/Loopback/pcm1c/sub0/hw_params
}
driver=/sys/bus/platform/drivers/snd_aloop
listen 44100
stage Loopback
probe --until-stop --seconds 90 --bpm 113
daemon 4/4 113 --device stage --rate 96000 --midi-connect clockprobe
check "it plays at the rate that the card has" until_true 10 grep "'stage' plays at 44100 Hz" /out/tactusd.log
sleep 5
echo snd_aloop.0 >$driver/unbind &
check "the card is let go" until_true 5 test ! -e /proc/asound/Loopback
stage Absent
sleep 2
echo snd_aloop.0 >$driver/bind
listen 48000
stage Loopback
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
