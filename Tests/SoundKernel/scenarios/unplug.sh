# The card is pulled while it plays and comes back: MIDI clock goes on, the card is taken back.
# checks: 7
# programs: tactusd
. ./lib.sh
playing() { grep -q RUNNING /proc/asound/card1/pcm0p/sub0/status; }
driver=/sys/bus/platform/drivers/snd_dummy
probe --until-stop --seconds 90 --bpm 120
daemon 4/4 120 --device hw:CARD=Dummy,DEV=0 --midi-connect clockprobe
check "it plays" until_true 10 playing
sleep 5
# The write returns when the card has been let go.
echo snd_dummy.0 >$driver/unbind &
check "the card is let go" until_true 5 test ! -e /proc/asound/card1
sleep 5
check "it lives on without the card" kill -0 $daemon
echo snd_dummy.0 >$driver/bind
check "the card is taken back" until_true 10 playing
sleep 5
stop_daemon
wait $probe
cat /out/probe
equal "no pulse is lost or comes twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "pulses stay on one line" "$(value /out/probe 'arrival residual_us' spread)" 0 200 us
equal "it ended well" "$daemon_status" 0
