# Ten tempo changes a second over OSC while the clock runs: no pulse is lost or comes twice, and the tempo
# plan explains every interval: each is that of a tempo that was asked for, in the order they were asked.
# checks: 6
# programs: tactusd
. ./lib.sh
probe --until-stop --seconds 60
capture --seconds 20
daemon 4/4 120 --pattern X... --device hw:Loopback,0,0 --midi-connect clockprobe
sleep 2
# 96 tempos from 120 to 300 and back, each once, their pulse intervals 130 us apart: what forking a
# sender ten times a second does to this one processor is up to 40 us. Two in three are for `now`.
awk 'BEGIN {
  for (k = 0; k < 96; k++) printf "%.3f\n", 2.5e6 / (k < 48 ? 20833 - 260 * (k + 1) : 8483 + 260 * (k - 48))
}' >/out/asked
k=0
while read -r tempo; do
  if [ $((k % 3)) != 0 ]; then
    oscsend localhost 9700 /tactus/tempo fss "$tempo" 1/4 now
  else
    oscsend localhost 9700 /tactus/tempo f "$tempo"
  fi
  usleep 95000
  k=$((k + 1))
done </out/asked
sleep 2
stop_daemon
wait $probe $capture
cat /out/probe

# Each interval is given to the tempo whose interval it is nearest to.
awk '
  FILENAME == "/out/asked" { tempos[n++] = $1; next }
  $3 == "clock" {
    if (last) {
      bpm = 2.5e9 / ($1 - last)
      best = 120; place = -1
      for (i = 0; i < n; i++)
        if ((bpm - tempos[i]) * (bpm - tempos[i]) < (bpm - best) * (bpm - best)) { best = tempos[i]; place = i }
      off = ($1 - last) / 1000 - 2.5e6 / best
      if (off < 0) off = -off
      if (off > worst) worst = off
      if (place < newest) back++
      newest = place
      if (!(place in seen)) { seen[place] = 1; kinds++ }
      pulses++
    }
    last = $1
  }
  END { printf "plan pulses=%d tempos=%d worst_us=%.1f out_of_order=%d\n", pulses, kinds, worst, back }
' n=0 newest=-1 /out/asked /out/events >/out/plan
cat /out/plan
seconds=$(awk '$3 == "clock" { if (!first) first = $1; last = $1 } END { print (last - first) / 1e9 }' /out/events)
echo "# $(wc -l </out/asked) changes while $seconds s of clock ran"
# A tempo asked for before the one before it has landed takes its place; at 120 a beat lasts 500 ms.
within "tempos that were heard" "$(value /out/plan plan tempos)" 60 97
within "every interval is that of one tempo" "$(value /out/plan plan worst_us)" 0 60 us
equal "the tempos come in the order in which they were asked for" "$(value /out/plan plan out_of_order)" 0
# Pulses and clicks are the same beats: were one lost or doubled, pulse 96k would leave click k of bar k.
capturecmp /out/capture.wav /out/capture.wav --onsets /tmp/onsets >/dev/null
awk -v zero="$(value /out/capture frame0_ns frame0_ns)" -v step="$(value /out/capture frame0_ns ns_per_frame)" \
  -v first="$(capturecmp /out/capture.wav --onset-time)" '
  FILENAME == "/tmp/onsets" { click[clicks++] = zero + step * (first + $1); next }
  $3 == "clock" && pulses++ % 96 == 0 && (pulses - 1) / 96 < clicks {
    error = ($1 - click[n]) / 1000
    if (error < 0) error = -error
    if (error > worst) worst = error
    n++
  }
  END { printf "against_audio n=%d clicks=%d worst_us=%.1f\n", n, clicks, worst }
' clicks=0 n=0 /tmp/onsets /out/events >/out/alignment
cat /out/alignment
within "pulse 96k is with the click of bar k to the end: none is lost, none comes twice" \
  "$(value /out/alignment against_audio worst_us)" 0 300 us
within "clicks that were compared" "$(value /out/alignment against_audio n)" 8 50
equal "it ended well" "$daemon_status" 0
