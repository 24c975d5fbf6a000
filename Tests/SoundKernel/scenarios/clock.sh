# MIDI clock against the audio that is heard: Start, then 24 pulses a click; Stop before the end.
# checks: 10
# programs: tactusd
. ./lib.sh
probe --until-stop --seconds 40 --bpm 113
capture --seconds 14
daemon 4/4 113 --device hw:Loopback,0,0 --midi-connect clockprobe
sleep 12
stop_daemon
wait $probe $capture
cat /out/probe /out/capture

equal "SIGTERM ends it with status 0" "$daemon_status" 0
events=$(awk '$3 ~ /^(start|stop|continue|clock|songpos)$/ && $3 != last { printf "%s ", $3; last = $3 }' /out/events)
equal "start, pulses and stop come in this order" "$events" "start clock stop "
equal "SIGTERM sends exactly one stop" "$(grep -c ' stop' /out/events)" 1
equal "no pulse is lost" "$(value /out/probe 'clock ' lost)" 0
equal "no pulse comes twice" "$(value /out/probe 'clock ' doubled)" 0
within "the tempo is the tempo asked for" "$(value /out/probe 'arrival tempo' error_ppm)" -20 20 ppm

# Instants of the clicks from the recording, instants of pulses 0, 24, 48 ... from the sequencer.
capturecmp /out/capture.wav /out/capture.wav --onsets /tmp/onsets --bpm 113 >/tmp/compared
equal "the clicks lie on the exact frames" "$(sed 's/.*\(off-grid=[0-9]*\).*/\1/' /tmp/compared)" off-grid=0
awk -v zero="$(value /out/capture frame0_ns frame0_ns)" -v step="$(value /out/capture frame0_ns ns_per_frame)" \
  -v first="$(capturecmp /out/capture.wav --onset-time)" '
  FILENAME == "/tmp/onsets" { click[clicks++] = zero + step * (first + $1); next }
  $3 == "start" { start = $1 }
  $3 == "clock" {
    if (pulses == 0) printf "start lead_us=%.1f\n", ($1 - start) / 1000
    if (pulses % 24 == 0 && pulses / 24 < clicks) {
      error = ($1 - click[pulses / 24]) / 1000
      if (!n++ || error < low) low = error
      if (n == 1 || error > high) high = error
    }
    pulses++
  }
  END { printf "against_audio n=%d low_us=%.1f high_us=%.1f\n", n, low, high }
' /tmp/onsets /out/events >/out/alignment
cat /out/alignment
within "start leads the first pulse by 1 to 2 ms" "$(value /out/alignment start lead_us)" 1000 2000 us
within "pulse 24k is never early against click k" "$(value /out/alignment against_audio low_us)" -300 300 us
within "pulse 24k is never late against click k" "$(value /out/alignment against_audio high_us)" -300 300 us
