# Cost of tactusd playing at 120 bpm on snd-dummy, 48 kHz, period 256, MIDI clock to Midi Through.
# checks: 1
# programs: tactusd
. ./lib.sh
. ./cost.sh
daemon 4/4 120 --device hw:Dummy,0 --rate 48000 --period 256 --midi-connect 14:0
sleep 5
cost tactusd $daemon >/out/cost
cat /out/cost
check "it played to the end" kill -0 $daemon
stop_daemon
