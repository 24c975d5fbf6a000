# A tempo change over OSC while playing: no click interval and no pulse interval between the two tempos.
# checks: 9
# programs: tactusd
. ./lib.sh
probe --until-stop --seconds 60
capture --seconds 16
daemon 4/4 120 --device hw:Loopback,0,0 --midi-connect clockprobe
sleep 4.1
check "oscsend, another OSC library's tool, is understood" oscsend localhost 9700 /tactus/tempo f 150
sleep 4
check "a number may come as a double" oscsend localhost 9700 /tactus/tempo d 97.5
sleep 4
stop_daemon
wait $probe $capture
cat /out/probe

# Intervals, classed by the tempo they belong to; runs of equal class as CLASS:COUNT.
awk '
  function class(ns) {
    if (ns > 20733333 && ns < 20933333) return 120  # 60 s / 120 / 24 = 20.833333 ms, +- 0.1 ms
    if (ns > 16566667 && ns < 16766667) return 150  # 16.666667 ms
    if (ns > 25541026 && ns < 25741026) return 97.5 # 25.641026 ms
    return "irregular(" ns ")"
  }
  $3 == "clock" {
    if (last) {
      c = class($1 - last)
      if (c != previous && previous != "") { printf "%s:%d ", previous, n; n = 0 }
      previous = c
      n++
    }
    last = $1
  }
  END { printf "%s:%d\n", previous, n }' /out/events >/out/pulse-runs
cat /out/pulse-runs
equal "pulses have the three tempos and nothing between" \
  "$(sed 's/:[0-9]*//g' /out/pulse-runs)" "120 150 97.5"
# The first two runs are whole beats: a change lands on a beat.
equal "the changes land on a beat" \
  "$(awk '{ split($1, a, ":"); split($2, b, ":"); print a[2] % 24, b[2] % 24 }' /out/pulse-runs)" "0 0"

capturecmp /out/capture.wav /out/capture.wav --onsets /out/onsets >/dev/null
# 48000 Hz: 24000 frames at 120, 19200 at 150; 29538.46 at 97.5, so 29538 or 29539.
awk '
  function class(n) { return n == 24000 ? 120 : n == 19200 ? 150 : n == 29538 || n == 29539 ? 97.5 : "irregular(" n ")" }
  NR > 1 {
    c = class($1 - last)
    if (c != previous && previous != "") { printf "%s:%d ", previous, n; n = 0 }
    previous = c
    n++
  }
  { last = $1 }
  END { printf "%s:%d\n", previous, n }' /out/onsets >/out/click-runs
cat /out/click-runs
equal "clicks have the three tempos and nothing between" \
  "$(sed 's/:[0-9]*//g' /out/click-runs)" "120 150 97.5"
equal "clicks and pulses change on the same beats" \
  "$(awk '{ split($1, a, ":"); split($2, b, ":"); print a[2], b[2] }' /out/click-runs)" \
  "$(awk '{ split($1, a, ":"); split($2, b, ":"); print a[2] / 24, b[2] / 24 }' /out/pulse-runs)"
within "the first change came within a beat and a half" \
  "$(awk '{ split($1, a, ":"); print a[2] / 2 }' /out/click-runs)" 3.5 4.6 s
equal "nothing was lost" "$(value /out/probe 'clock ' doubled)" 0
equal "it ended well" "$daemon_status" 0
