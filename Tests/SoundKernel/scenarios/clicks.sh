# What a card plays is what `tactus render` writes, sample for sample, and lies on the exact frames.
# checks: 8
# programs: tactusd tactus
. ./lib.sh

# compare FORMAT RATE METER TEMPO CLICKS: CLICKS is the number of clicks a minute in that meter.
compare() {
  name="$3 at $4, $2 Hz, $1"
  capture --format "$1" --rate "$2" --seconds 7
  daemon "$3" "$4" --device hw:Loopback,0,0 --rate "$2" --osc-port off
  wait $capture
  stop_daemon
  tactus render "$3" "$4" --duration 5s --rate "$2" --bits float --wav /tmp/offline.wav
  capturecmp /out/capture.wav /tmp/offline.wav --frames $((5 * $2)) --bpm "$5" >/tmp/compared
  echo "# $name: $(cat /tmp/compared)"
  equal "$name equals the rendering" "$(sed 's/.*\(compared=[0-9]* different=[0-9]*\).*/\1/' /tmp/compared)" \
    "compared=$((5 * $2)) different=0"
  equal "$name lies on the exact frames" "$(sed 's/.*\(off-grid=[0-9]*\).*/\1/' /tmp/compared)" off-grid=0
}
compare S16_LE 48000 4/4 120 120
compare FLOAT_LE 44100 3/4 137.5 137.5
compare S32_LE 96000 7/8 95.123 190.246
compare S24_3LE 48000 4/4 301.7 301.7
