# The card is not there at the start: MIDI clock runs all the same, and the card is taken when it appears.
# checks: 6
# programs: tactusd
. ./lib.sh
playing() { grep -q RUNNING /proc/asound/card1/pcm0p/sub0/status; }
driver=/sys/bus/platform/drivers/snd_dummy
echo snd_dummy.0 >$driver/unbind
probe --until-stop --seconds 90 --bpm 120
daemon 4/4 120 --device hw:CARD=Dummy,DEV=0 --midi-connect clockprobe
sleep 5
check "it runs without the card" kill -0 $daemon
check "it names the card it waits for" grep -i "dummy" /out/tactusd.log
echo snd_dummy.0 >$driver/bind
check "the card is taken when it appears" until_true 10 playing
sleep 5
stop_daemon
wait $probe
cat /out/probe
equal "no pulse is lost or comes twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "pulses stay on one line" "$(value /out/probe 'arrival residual_us' spread)" 0 200 us
equal "it ended well" "$daemon_status" 0
