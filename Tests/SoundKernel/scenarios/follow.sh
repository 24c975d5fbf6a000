# Following another's MIDI clock that jitters by 5 ms: what goes out is steady, start and stop are obeyed, a
# leader that already rolls gives its tempo, and when its clock ceases the tempo is held and said.
# checks: 14
# programs: tactusd tactus
. ./lib.sh
tactusd --follow --state-folder off --device hw:Dummy,0 --period 240 --midi-connect clockprobe </dev/null >/out/tactusd.log 2>&1 &
follower=$!
until_true 10 sh -c 'aconnect -l | grep -q "Tactus Input"'
sync=$(aconnect -l | sed -n "s/^client \([0-9]*\): 'Tactus Input'.*/\1/p")
tactusd --device none --no-discovery --osc-port 9801 --state-folder off --midi-clock always --inject jitter=24% </dev/null >/out/leader.log 2>&1 &
leader=$!
until_true 10 sh -c 'aconnect -l | grep -c "Tactus" | grep -q 6'
clock=$(aconnect -l | sed -n "s/^client \([0-9]*\): 'Tactus' .*/\1/p" | tail -1)
aconnect -l >/out/ports
oscsend localhost 9801 /tactus/tempo f 123.4

# A leader whose clock runs without a start: its tempo, and no more.
aconnect "$clock:0" "$sync:1"
sleep 8
tactus ctl tempo >/out/tempo 2>&1
within "a leader that already runs gives its tempo" "$(grep -o '12[0-9][.0-9]*' /out/tempo | head -1)" 122.9 123.9 bpm
oscsend localhost 9700 /tactus/start
probe --until-stop --seconds 40
sleep 4
oscsend localhost 9700 /tactus/stop
wait $probe
within "what is started here runs at the leader's tempo" \
  "$(sed -n 's/^arrival tempo bpm=\([0-9.]*\).*/\1/p' /out/probe)" 123.2 123.6 bpm

# Start and stop by the leader. In and out are measured by the same probe, from ten seconds after the start.
probe --until-stop --seconds 60 --bpm 123.4 --skip 480
oscsend localhost 9801 /tactus/start
sleep 2
clockprobe --name leaderprobe --priority 1 --events /out/leader-events --ready /tmp/leader-ready --seconds 30 --bpm 123.4 \
  --from "$clock:0" >/out/leader-probe 2>&1 &
leaderprobe=$!
sleep 33
oscsend localhost 9801 /tactus/stop
wait $probe $leaderprobe
cat /out/leader-probe /out/probe
within "jitter that comes in, p0.1 to p99.9" "$(value /out/leader-probe 'arrival residual_us' spread)" 7000 12000 us
within "jitter that goes out, p0.1 to p99.9" "$(value /out/probe 'arrival residual_us' spread)" 0 1500 us
within "the shortest interval that goes out" "$(value /out/probe 'arrival interval_us' min)" 19600 20900 us
within "the longest interval that goes out" "$(value /out/probe 'arrival interval_us' max)" 19600 20900 us
within "the tempo that goes out" "$(value /out/probe 'arrival tempo' error_ppm)" -150 150 ppm
# FA is known a millisecond ahead: the first quarter that can be met is joined, with F2 and FB.
equal "the leader's start and stop are obeyed, once each" \
  "$(awk '$3 ~ /^(start|stop|continue|songpos)$/ { printf "%s ", $3 }' /out/events)" "songpos continue stop "
cp /out/events /out/events-out
# A straight line through the leader's pulses, and ours against it: the middle of every second quarter's.
awk '
  FILENAME == "/out/leader-events" { if ($3 == "clock") t[n++] = $2; next }
  FNR == 1 {
    for (i = 0; i < n; i++) { x += i / n; y += (t[i] - t[0]) / n }
    for (i = 0; i < n; i++) { xx += (i - x) * (i - x); xy += (i - x) * (t[i] - t[0] - y) }
    slope = xy / xx; zero = t[0] + y - slope * x
  }
  $3 == "clock" && $2 > t[0] && $2 < t[n - 1] {
    place = ($2 - zero) / slope
    near = int(place + 0.5)
    sum += (place - near) * slope / 1000
    if (++count == 48) {
      mean = sum / count; sum = 0; count = 0
      if (!groups++ || mean < low) low = mean
      if (groups == 1 || mean > high) high = mean
    }
  }
  END { printf "against_leader groups=%d low_us=%.0f high_us=%.0f\n", groups, low, high }
' n=0 /out/leader-events /out/events-out >/out/against-leader
cat /out/against-leader
within "our pulses are not early against the leader's" "$(value /out/against-leader against_leader low_us)" -2500 2500 us
within "nor late" "$(value /out/against-leader against_leader high_us)" -2500 2500 us
# Its clock ceases while we play.
oscsend localhost 9801 /tactus/start
sleep 6
probe --seconds 5 --bpm 123.4
kill -KILL $leader
wait $probe
cat /out/probe
within "when its clock has stopped the tempo is held" \
  "$(sed -n 's/^arrival tempo bpm=\([0-9.]*\).*/\1/p' /out/probe)" 123.2 123.6 bpm
equal "no pulse is lost then" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
check "and that is said" grep 'the MIDI clock has stopped: holding 123' /out/tactusd.log
kill -TERM $follower
check "and that a clock was found" grep 'following a MIDI clock of 12[0-9]' /out/tactusd.log
