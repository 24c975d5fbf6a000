# A million MIDI clock pulses of tactusd at 999 bpm, audio on snd-dummy: their tempo against the card's
# own count of frames, which the kernel stamps.
# checks: 3
# programs: tactusd
# timeout: 7200
# limit: 4000
. ./lib.sh
probe --count 1000024 --skip 24 --bpm 999 --seconds 3000
daemon 4/4 999 --device hw:Dummy,0 --rate 48000 --period 240 --midi-connect clockprobe
# Frames played and the instant that belongs to them, every 10 s.
sleep 1
while [ -d /proc/$probe ]; do
  awk '$1 == "tstamp" { stamp = $3 } $1 == "hw_ptr" { print stamp, $3 }' \
    /proc/asound/Dummy/pcm0p/sub0/status >>/out/card
  sleep 10
done
wait $probe
stop_daemon
rm /out/events
cat /out/probe
equal "pulses" "$(value /out/probe 'clock ' n)" 1000000
equal "none lost, none twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
# Least squares of frames over time, without the start, in which the card's clock is not steady yet.
awk -v pulses="$(value /out/probe 'arrival tempo' error_ppm)" '
  BEGIN { n = 0 }
  NR == 1 { first = $1; zero = $2 }
  NR > 1 { t[n] = $1 - first; f[n++] = $2 - zero }
  END {
    for (i = 0; i < n; i++) { x += t[i] / n; y += f[i] / n }
    for (i = 0; i < n; i++) { xx += (t[i] - x) * (t[i] - x); xy += (t[i] - x) * (f[i] - y) }
    card = (xy / xx / 48000 - 1) * 1e6
    # A million pulses at 999 a minute are 2502.5 s: so many microseconds is one ppm at the end.
    printf "card samples=%d rate_ppm=%.6f\n", n, card
    printf "against_audio error_ppm=%.6f at_the_end_us=%.1f\n", pulses - card, (pulses - card) * 2502.5
  }' /out/card >/out/tempo
cat /out/tempo
# The residual of single pulses is some microseconds; in 2502.5 s a frame is 0.0083 ppm.
within "tempo error against the audio clock" "$(value /out/tempo against_audio error_ppm)" -0.008 0.008 ppm
