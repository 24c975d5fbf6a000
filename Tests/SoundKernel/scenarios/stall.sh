# The process is stopped for 500 ms: music time goes on, no burst of pulses, clicks back on the grid.
# checks: 5
# programs: tactusd
. ./lib.sh
probe --until-stop --seconds 60 --bpm 120
capture --seconds 15
daemon 4/4 120 --device hw:Loopback,0,0 --midi-connect clockprobe
sleep 5.3
kill -STOP $daemon
sleep 0.5
kill -CONT $daemon
sleep 6
stop_daemon
wait $probe $capture
cat /out/probe /out/capture

# A straight line through the pulses of the first 4 s, and the end against it.
awk '$3 == "clock" { t[n++] = $1 } END {
  m = 192; x = (m - 1) / 2
  for (i = 0; i < m; i++) y += (t[i] - t[0]) / m
  for (i = 0; i < m; i++) { xx += (i - x) * (i - x); xy += (i - x) * (t[i] - t[0] - y) }
  slope = xy / xx
  for (i = 1; i < n; i++) if (!shortest || t[i] - t[i - 1] < shortest) shortest = t[i] - t[i - 1]
  for (i = n - 96; i < n; i++) {
    error = (t[i] - t[0] - y - slope * (i - x)) / 1000
    if (error < 0) error = -error
    if (error > worst) worst = error
  }
  printf "pulses n=%d shortest_us=%.1f late_us=%.1f\n", n, shortest / 1000, worst
}' /out/events >/out/pulses
cat /out/pulses
# 20.833 ms an interval; half of it, 10.417, is the fastest that late pulses may follow each other, and each of
# the two may arrive some tens of microseconds late.
within "late pulses come at least half an interval apart" "$(value /out/pulses pulses shortest_us)" 10317 20900 us
# By its number each pulse has its instant: one lost or sent twice would put all after it 20833 us off.
# (clockprobe takes any interval under a half for a doubled pulse, which catching up may come to by a hair.)
within "none is lost, none comes twice, and after it they are in phase" "$(value /out/pulses pulses late_us)" 0 1000 us

# Instants of the clicks: whole beats of 500 ms from the first one.
capturecmp /out/capture.wav /out/capture.wav --onsets /out/onsets --gap 2400 >/dev/null
awk -v step="$(value /out/capture frame0_ns ns_per_frame)" '
  { ms = $1 * step / 1e6; off = ms % 500; if (off > 250) off -= 500; if (off < 0) off = -off
    if ($1 > 0 && off > worst && ms > 7000) worst = off
    if (ms > 7000) n++ }
  END { printf "clicks n=%d worst_ms=%.3f\n", n, worst }' /out/onsets >/out/clicks
cat /out/onsets /out/clicks
within "clicks go on" "$(value /out/clicks clicks n)" 6 12
# snd-aloop runs on the kernel's tick of 4 ms: so much later than its first frame it may start anew.
within "clicks are back on the grid" "$(value /out/clicks clicks worst_ms)" 0 4.2 ms
equal "it ended well" "$daemon_status" 0
