# A clean leader, named by --follow, changes its tempo in steps: after each our pulses are within 1 ms of its own in
# 2 s or a bar, and come to them from one side.
# checks: 9
# programs: tactusd tactus
. ./lib.sh
tactusd --follow Tactus:Clock --state-folder off --device hw:Dummy,0 --period 240 --midi-connect clockprobe </dev/null >/out/tactusd.log 2>&1 &
follower=$!
until_true 10 sh -c 'aconnect -l | grep -q "Tactus Input"'
check "a leader that is not there yet is waited for" \
  until_true 5 grep -q "'Sync (input)' waits for 'Tactus:Clock'" /out/tactusd.log
tactusd --device none --no-discovery --osc-port 9801 --state-folder off --midi-clock always </dev/null >/out/leader.log 2>&1 &
leader=$!
check "and connected when it comes" \
  until_true 10 grep -q "'Sync (input)' is connected to 'Tactus:Clock'" /out/tactusd.log
clock=$(aconnect -l | sed -n "s/^client \([0-9]*\): 'Tactus' .*/\1/p" | tail -1)

# step NAME FROM TO SECONDS
step() {
  oscsend localhost 9801 /tactus/tempo f "$2"
  sleep 5
  probe --until-stop --seconds 60 --bpm "$2"
  rm -f /tmp/leader-ready
  clockprobe --name leaderprobe --priority 1 --events /out/leader-events --ready /tmp/leader-ready --seconds 60 \
    --until-stop --bpm "$2" --from "$clock:0" >/out/leader-probe 2>&1 &
  leaderprobe=$!
  until_true 10 test -e /tmp/leader-ready
  oscsend localhost 9801 /tactus/start
  sleep 12
  oscsend localhost 9801 /tactus/tempo f "$3"
  sleep 8
  oscsend localhost 9801 /tactus/stop
  wait $probe $leaderprobe
  cp /out/events "/out/events-$1"
  cp /out/leader-events "/out/leader-events-$1"
  # Each of our pulses against the leader's pulse nearest to it, from the first interval of the new tempo on.
  awk -v from="$2" -v to="$3" '
    FILENAME ~ /leader-events/ {
      if ($3 != "clock") next
      t[n++] = $2
      old = 2.5e9 / from; new = 2.5e9 / to
      if (!begun && n > 200) {
        d = t[n - 1] - t[n - 2]
        if ((d - old) * (d - old) > (d - new) * (d - new)) begun = t[n - 2]
      }
      next
    }
    $3 == "clock" && $2 > begun && $2 < t[n - 1] {
      while (i + 1 < n && t[i + 1] <= $2) i++
      e = $2 - t[i] < t[i + 1] - $2 ? $2 - t[i] : $2 - t[i + 1]
      size = e < 0 ? -e : e
      if (size > worst) { worst = size; sign = e < 0 ? -1 : 1; past = 0 }
      if (size > 1e6) last = $2
      if (-e * sign > past) past = -e * sign
    }
    END { printf "step worst_us=%.0f seconds=%.3f past_us=%.0f\n", worst / 1000, last ? (last - begun) / 1e9 : 0, past / 1000 }
  ' "/out/leader-events-$1" "/out/events-$1" >"/out/step-$1"
  cat "/out/step-$1"
  within "$1: within 1 ms in two seconds" "$(value "/out/step-$1" step seconds)" 0 "$4" s
  within "$1: never past zero by more" "$(value "/out/step-$1" step past_us)" -1000 1000 us
}
step faster 120 123 2
step slower 120 118 2
step alittle 100 101 2.4
kill -TERM $leader $follower
wait $leader $follower
equal "no false alarm of an echo" "$(grep -c 'comes back into' /out/tactusd.log)" 0
