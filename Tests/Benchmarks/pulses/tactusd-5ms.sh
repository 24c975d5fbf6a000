# MIDI clock of tactusd at 120 bpm, audio on snd-dummy with the default period (240 frames, 5 ms), 10^4 pulses.
# checks: 1
# timeout: 1200
# programs: tactusd
. ./lib.sh
probe --count 10024 --skip 24 --bpm 120 --seconds 300
daemon 4/4 120 --device hw:Dummy,0 --rate 48000 --midi-connect clockprobe
wait $probe
stop_daemon
cat /out/probe
equal "pulses" "$(value /out/probe 'clock ' n)" 10000
