# A latency that was measured earlier moves MIDI clock and beats, adds to a port's own offset, and leaves the
# clicks where they are; a route that is another one is reported at once.
# checks: 8
# programs: tactusd tactus
. ./lib.sh
mkdir -p /tmp/user
end() { printf '{"device": "%s", "card": "Loopback", "rate": 48000, "period": 480, "channels": 2}' "$1"; }
cat >/tmp/user/latency.json <<END
{ "version": 1, "calibrations": [ { "output": $(end hw:Loopback,0,0), "input": $(end hw:Loopback,1,0),
  "roundTripMilliseconds": 102, "inputMilliseconds": 2, "madMilliseconds": 0.01, "verdict": "green",
  "accepted": 16, "count": 16, "measuredAt": 1790000000, "machine": "$(cat /etc/machine-id 2>/dev/null)" } ] }
END

# played NAME OPTIONS...: how far the pulses lie from their clicks, in us.
played() {
  name=$1
  shift
  probe --until-stop --seconds 60 --bpm 120
  capture --seconds 9
  daemon 4/4 120 --device hw:Loopback,0,0 --capture hw:Loopback,1,0 --period 480 --folder /tmp/user \
    --no-discovery --midi-connect clockprobe "$@"
  sleep 6
  tactus ctl latency >/out/latency
  stop_daemon
  wait $probe $capture
  capturecmp /out/capture.wav /out/capture.wav --onsets /tmp/onsets >/dev/null
  against_audio /out/events >/tmp/against
  echo "# $name: $(cat /tmp/against) $(cat /out/latency)"
}

played "with the latency"
# 100 ms are the output's share; snd-aloop's tick leaves 4 ms.
within "clock comes later by the output's share" \
  "$(value /tmp/against against_audio low_us)" 95000 105000 us
within "from the first click to the last" "$(value /tmp/against against_audio high_us)" 95000 105000 us
check "it is in force" grep valid /out/latency
played "with an offset" --midi-offset -30
within "a port's own offset adds to it" "$(value /tmp/against against_audio low_us)" 65000 75000 us
within "for every click" "$(value /tmp/against against_audio high_us)" 65000 75000 us

# Another period is another route: what was measured for this one is not used.
sed -i 's/"period": 480/"period": 960/' /tmp/user/latency.json
played "on a route that was not measured"
within "what was measured for another route is not used" \
  "$(value /tmp/against against_audio low_us)" -5000 5000 us
check "and said to be unknown" grep unknown /out/latency
check "damage to the file is said" sh -c 'echo "{" >/tmp/user/latency.json
  tactus calibrate list --folder /tmp/user 2>&1 | grep -q latency.json'
