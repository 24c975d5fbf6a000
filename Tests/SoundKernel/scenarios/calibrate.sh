# The latency of a wire (snd-aloop) is measured, kept, and used: a take of the clicks, exported by it, is what
# `tactus render` writes, and so it stays through five generations of overdubs.
# checks: 16
# programs: tactusd tactus
# timeout: 900
# limit: 900
# memory: 768
. ./lib.sh
ulimit -l unlimited
mkdir -p /tmp/user
daemon --device hw:Loopback,0,0 --capture hw:Loopback,1,0 --folder /tmp/user --no-midi --no-discovery --sound noise
until_true 10 tactus ctl ping
until_true 10 sh -c 'tactus ctl info | grep -q playing'

tactus ctl start
tactus calibrate >/out/refused 2>&1
check "while the metronome plays it is refused" grep "metronome plays" /out/refused
tactus ctl stop
tactus calibrate --json >/out/calibrated 2>/out/calibrate-errors
equal "it ends well" $? 0
cat /out/calibrated /out/calibrate-errors
field() { sed -n "s/.*\"$1\": \"\\{0,1\\}\\([^\",]*\\)\"\\{0,1\\},\\{0,1\\}$/\\1/p" "$2"; }
equal "the verdict is green" "$(field verdict /out/calibrated)" green
check "the answer begins with aligned" grep '"answer": "aligned' /out/calibrated
# What ALSA does not know of a wire that runs on the kernel's tick is a tick or two.
within "round trip" "$(field latencyMilliseconds /out/calibrated)" -12 12 ms
within "spread" "$(field madMilliseconds /out/calibrated)" 0 0.05 ms
first=$(field latencyMilliseconds /out/calibrated)
tactus calibrate --json >/out/again
within "a second one says the same" \
  "$(awk -v a="$first" -v b="$(field latencyMilliseconds /out/again)" 'BEGIN { print a - b }')" -0.05 0.05 ms
tactus calibrate list --folder /tmp/user >/out/list
equal "one route is kept" "$(wc -l </out/list)" 1
tactus ctl latency >/out/latency
check "and in force" grep valid /out/latency

tactus ctl tempo 137.5
layer=
for generation in 1 2 3 4 5; do
  tactus take record "g$generation" $layer --seconds 12 >/out/record-$generation 2>&1
  cat /out/record-$generation
  tactus take export "g$generation" --folder /tmp/user --to "/out/g$generation.wav" --bits float
  cat "/tmp/user/takes/g$generation.json"
  # Each is recorded from the one before alone, so that an error would grow.
  layer="--layer g$generation"
  tactus ctl mute 1
done
stop_daemon
tactus render 4/4 137.5 --duration 8s --rate 48000 --sound noise --bits float --wav /tmp/offline.wav
for generation in 1 2 3 4 5; do
  capturecmp /out/g$generation.wav /out/g$generation.wav --onsets /tmp/onsets >/dev/null
  # How far the onsets lie from those of 137.5 a minute, from frame 0 on.
  awk -v step=$((48000 * 60)) '
    { beat = int($1 * 137.5 / step + 0.5); off = $1 - beat * step / 137.5
      n++; sum += off; if (off < 0) off = -off; if (off > worst) worst = off }
    END { printf "aligned n=%d mean=%.2f worst=%.2f\n", n, n ? sum / n : 99, n ? worst : 99 }' /tmp/onsets >/tmp/aligned
  cat /tmp/aligned
  # To whole frames: half of one is rounding, and each generation is rounded anew.
  within "generation $generation lies on the grid" "$(value /tmp/aligned aligned worst)" 0 2 frames
done
equal "it ended well" "$daemon_status" 0
equal "a take says nothing was lost" "$(grep -c gaps /tmp/user/takes/*.json | grep -vc ':0')" 0
