# A card whose clock runs 300 ppm fast, and one that runs as slow, against the system's: the pulses
# follow the audio that is heard. Against the system 20 s of that are 6 ms. The loopback card tells its
# position in ticks of 4 ms: against periods of 5 ms they beat slowly enough for 0.2 ms of that to reach
# the clock, against 256 frames they do not.
# checks: 10
# programs: tactusd
. ./lib.sh

# beats FILE: every click against pulse 24k of the events, in us, with what changes from the first
# quarter of the clicks to the last.
beats() {
  awk -v zero="$(value /out/capture frame0_ns frame0_ns)" -v step="$(value /out/capture frame0_ns ns_per_frame)" \
    -v first="$(capturecmp /out/capture.wav --onset-time)" '
    FILENAME == "/tmp/onsets" { click[clicks++] = zero + step * (first + $1); next }
    $3 == "clock" && pulses++ % 24 == 0 && (pulses - 1) / 24 < clicks {
      error = ($1 - click[n + 0]) / 1000
      errors[n++] = error
      if (n == 1 || error < low) low = error
      if (n == 1 || error > high) high = error
    }
    END {
      quarter = int(n / 4)
      for (i = 0; i < quarter; i++) wander += (errors[n - 1 - i] - errors[i]) / quarter
      printf "against_audio n=%d low_us=%.1f high_us=%.1f wander_us=%.1f\n", n, low, high, wander
    }' /tmp/onsets "$1"
}

# play NAME SHIFT PPM: SHIFT is the length of the loopback card's second, in parts of 100000.
play() {
  amixer -q -c Loopback cset "iface=PCM,name='PCM Rate Shift 100000',device=1,subdevice=0" "$2" || exit 1
  probe --until-stop --seconds 60 --bpm 120
  capture --seconds 24
  daemon 4/4 120 --device hw:Loopback,0,0 --period 256 --midi-connect clockprobe
  sleep 22
  stop_daemon
  wait $probe $capture
  echo "== $1"
  cat /out/probe /out/capture
  capturecmp /out/capture.wav /out/capture.wav --onsets /tmp/onsets --bpm 120 >/tmp/compared
  beats /out/events >"/out/alignment-$1"
  cat "/out/alignment-$1"
  equal "a $1 card: no pulse is lost, none comes twice" \
    "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
  within "a $1 card: the clock's tempo against the system" \
    "$(value /out/probe 'arrival tempo' error_ppm)" $(($3 - 15)) $(($3 + 15)) ppm
  within "a $1 card: no pulse is early against its click" \
    "$(value "/out/alignment-$1" against_audio low_us)" -300 300 us
  within "a $1 card: no pulse is late against its click" \
    "$(value "/out/alignment-$1" against_audio high_us)" -300 300 us
  within "a $1 card: nothing adds up" \
    "$(value "/out/alignment-$1" against_audio wander_us)" -100 100 us
}
play fast 99970 300
play slow 100030 -300
