# MIDI clock of midish at 120 bpm, 10^4 pulses.
# checks: 1
# timeout: 1200
# programs: midish
. ./lib.sh
probe --count 10024 --skip 24 --bpm 120 --seconds 300
{
  echo 'dnew 0 "clockprobe" wo; dclktx {0}; m off; t 120; tnew tr; r'
  sleep 320
} | midish -b >/out/midish.log 2>&1 &
wait $probe
cat /out/probe
equal "pulses" "$(value /out/probe 'clock ' n)" 10000
