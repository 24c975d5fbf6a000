# MIDI clock of jack_midi_clock at 120 bpm through jackd's ALSA bridge, audio on snd-dummy with a
# period of 256 frames, 10^4 pulses.
# checks: 1
# timeout: 1200
# programs: jackd jack_midi_clock jack_lsp jack_connect jack_transport /usr/lib/x86_64-linux-gnu/jack/jack_alsa.so
. ./lib.sh
probe --count 10024 --skip 24 --bpm 120 --seconds 300
export JACK_NO_AUDIO_RESERVATION=1 JACK_NO_START_SERVER=1
jackd -R -P 70 -d alsa -P hw:Dummy,0 -r 48000 -p 256 -n 3 -X seq >/out/jackd.log 2>&1 &
until_true 20 jack_lsp system
sleep 1
jack_midi_clock -b 120 -B >/out/jack_midi_clock.log 2>&1 &
until_true 20 jack_lsp jack_midi_clock
jack_lsp -A >/out/ports
bridge=$(awk '/^[^ ]/ { port = $0 } /clockprobe/ { print port; exit }' /out/ports)
jack_connect jack_midi_clock:mclk_out "$bridge"
echo play | jack_transport >/out/transport 2>&1
wait $probe
cat /out/probe
equal "pulses" "$(value /out/probe 'clock ' n)" 10000
