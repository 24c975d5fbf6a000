# A beat event's instant is that at which its click is heard, also when the output is 200 ms late, and lamps
# are told at their own offsets from it; with the clicks turned off the events go on as before.
# checks: 12
# programs: tactusd
. ./lib.sh
capture --seconds 15
stamp lamps --port 9001
lamps=$stamp
daemon 4/4 120 --device hw:Loopback,0,0 --no-midi --beat-target 127.0.0.1:9001,gate,/early,offset=-100 \
  --beat-target 127.0.0.1:9001,gate,/late,offset=250
until_true 10 grep -q '^OSC on port' /out/tactusd.log
stamp truth --subscribe 127.0.0.1:9700
truth=$stamp
sleep 5
oscsend localhost 9700 /tactus/offset/audio f 200
sleep 4
quiet=$(uptime_seconds)
oscsend localhost 9700 /tactus/volume f 0
sleep 3
ended=$(uptime_seconds)
kill -TERM $lamps $truth
wait $lamps $truth $capture
stop_daemon
cat /out/capture

awk '$2 == "/tactus/beat" { print $11 }' /out/truth >/out/due
capturecmp /out/capture.wav /out/capture.wav --onsets /tmp/onsets >/tmp/compared
awk -v zero="$(value /out/capture frame0_ns frame0_ns)" -v step="$(value /out/capture frame0_ns ns_per_frame)" \
  -v first="$(capturecmp /out/capture.wav --onset-time)" '{ printf "%.0f\n", zero + step * (first + $1) }' \
  /tmp/onsets >/out/heard
# nearest INSTANTS: each against the nearest one that was due, in ns; half a beat off is none of these.
nearest() {
  awk 'FILENAME == "/out/due" { due[++n] = $1; next }
    {
      late = 1e18
      for (i = 1; i <= n; i++) {
        off = $1 - due[i]
        if (off * off < late * late) late = off
      }
      if (late * late < 0.04e18) printf "%d\n", late
    }' /out/due "$1"
}
nearest /out/heard >/tmp/heard
lateness heard /tmp/heard >/out/figures
awk '$2 == "/early" && $3 == 1 { print $1 + 100e6 }' /out/lamps >/tmp/early
nearest /tmp/early >/tmp/early-late
lateness early /tmp/early-late >>/out/figures
awk '$2 == "/late" && $3 == 1 { print $1 - 250e6 }' /out/lamps >/tmp/late
nearest /tmp/late >/tmp/late-late
lateness late /tmp/late-late >>/out/figures
sed 's/^/# /' /out/figures
# The first three beats may be announced before anybody has subscribed.
within "clicks are heard" "$(value /out/figures heard n)" 14 20
within "none before its event's instant" "$(value /out/figures heard low_us)" -300 300 us
within "nor after it" "$(value /out/figures heard high_us)" -300 300 us
equal "once a click waits for 200 ms more" "$(awk 'NR > 1 { more = ($1 - last) / 1e6 - 500; if (more > 100) printf "%.0f ", more }
  { last = $1 }' /out/heard)" "200 "
equal "and so does its event" "$(awk 'NR > 1 { more = ($1 - last) / 1e6 - 500; if (more > 100) printf "%.0f ", more }
  { last = $1 }' /out/due)" "200 "
within "a lamp 100 ms ahead is told so" "$(value /out/figures early low_us)" 1 4000 us
within "and within 4 ms" "$(value /out/figures early high_us)" 1 4000 us
within "a lamp 250 ms behind is told so" "$(value /out/figures late low_us)" 1 4000 us
within "within 4 ms too" "$(value /out/figures late high_us)" 1 4000 us
# After the last event that was announced with sound: three seconds at 120 a minute.
within "with the clicks turned off the events go on" \
  "$(awk -v from="$quiet" -v to="$ended" '$2 == "/tactus/beat" && $1 > from * 1e9 && $1 < to * 1e9' /out/truth | wc -l)" 5 7 beats
equal "and say nothing of it" "$(awk '$2 == "/tactus/beat" { print $10 }' /out/truth | sort -u)" 0
equal "the daemon ended well" "$daemon_status" 0
