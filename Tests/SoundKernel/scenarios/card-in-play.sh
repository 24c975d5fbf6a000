# A MIDI card is pulled and put back while it and another receiver get the clock: the other one misses nothing,
# the card is connected again by its name and gets pulses in phase, after F2 and FB.
# checks: 7
# programs: tactusd tactus
. ./lib.sh
daemon 4/4 120 --device hw:Dummy,0 --period 240 --midi-connect clockprobe --midi-connect "Virtual Raw MIDI 2-1"
probe --until-stop --seconds 60 --bpm 120
until_true 10 tactus ctl ping
sleep 1
cat /dev/snd/midiC2D1 >/tmp/before &
reader=$!
sleep 2
kill $reader
wait $reader
within "pulses reach the card" "$(tr -dc '\370' </tmp/before | wc -c)" 92 98
driver=/sys/bus/platform/drivers/snd_virmidi
echo snd_virmidi.0 >$driver/unbind
sleep 3
until_true 10 grep -q 'has lost.*VirMIDI 2-1' /out/tactusd.log
check "its going is said" grep 'has lost.*VirMIDI 2-1' /out/tactusd.log
echo snd_virmidi.0 >$driver/bind
until_true 10 test -e /dev/snd/midiC2D1
cat /dev/snd/midiC2D1 >/tmp/after &
reader=$!
sleep 3
kill $reader
wait $reader
within "pulses reach it again" "$(tr -dc '\370' </tmp/after | wc -c)" 120 146
# A song position, the rest of its sixteenth, and Continue.
check "after a song position and then Continue" sh -c \
  "od -A n -v -t x1 /tmp/after | tr -d '\n' | grep -Eq '( f8)* f2 [0-7]. [0-7].( f8)* fb f8 f8'"
check "it was connected again by name" grep 'connected again to.*VirMIDI 2-1' /out/tactusd.log
stop_daemon
wait $probe
cat /out/probe /out/tactusd.log
od -A d -t x1 /tmp/after | head -3
equal "the other receiver lost no pulse and got none twice" \
  "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "and its latest pulse was late by" "$(value /out/probe 'kernel residual_us' max)" 0 100 us
