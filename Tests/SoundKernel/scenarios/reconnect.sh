# A receiver that goes away and comes back is connected again by name, in phase.
# checks: 6
# programs: tactusd
. ./lib.sh
daemon 4/4 120 --device hw:Dummy,0 --midi-connect clockprobe
sleep 1
probe --seconds 4
wait $probe
mv /out/events /out/first
sleep 2
probe --seconds 4
wait $probe
stop_daemon
check "a receiver that comes later is connected" grep -q clock /out/first
# One that missed the start is told the place by F2 and then FB, whether it was ever here or not.
told() { awk '$3 ~ /^(start|continue|songpos)$/ { printf "%s ", $3 }' "$1"; }
equal "one that comes while the music plays is told where it is" "$(told /out/first)" "songpos continue "
equal "and so is one that comes back" "$(told /out/events)" "songpos continue "
check "after it came back it is connected again" grep -q clock /out/events
# 120 bpm: 20.8333 ms a pulse; distances between pulses of the two runs in whole pulses.
awk 'FILENAME == "/out/first" { if ($3 == "clock") anchor = $2; next }
  $3 == "clock" {
    pulses = ($2 - anchor) / (60e9 / 120 / 24)
    off = (pulses - int(pulses + 0.5)) * 60e6 / 120 / 24
    if (off < 0) off = -off
    if (off > worst) worst = off
  }
  END { printf "phase worst_us=%.1f\n", worst }' /out/first /out/events >/out/phase
within "its pulses are in phase with those before" "$(value /out/phase phase worst_us)" 0 200 us
equal "it ended well" "$daemon_status" 0
