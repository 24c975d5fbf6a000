# A bad network: 64 subscribers at 300 beats a minute with subdivisions, a web client that never stops
# asking, packets as fast as the processor allows. For none of it a click or a pulse is late, and a Stop is
# obeyed meanwhile. Longer with another number of seconds.
# Fully preemptible, as Debian's kernel is when asked at boot: else the first page that the web client
# gets keeps the kernel to itself for 1 to 2 ms, and one pulse waits for it.
# append: preempt=full
# checks: 25
# programs: tactusd tactus tactus-web
# timeout: 900
seconds=3
. ./lib.sh
probe --seconds 1000 --bpm 300
daemon 4/4 300 --subdivision 4 --device hw:Dummy,0 --midi-connect clockprobe
until_true 20 grep -q 'page at' /out/tactusd.log
web=$(sed -n 's,.*page at http://[^/]*:\([0-9]*\)/.*,\1,p' /out/tactusd.log)

figure() { awk -v name="stats/$1" '$1 == name { print $2 }' /out/stats; }
idle() { awk '/^cpu / { print $5 }' /proc/stat; }
# What was allocated; pages of the program that are used for the first time are no growth.
resident() { awk '$1 == "RssAnon:" { print $2 }' "/proc/$daemon/status"; }
# phase NAME OPTIONS...: a storm, and what the audio thread missed since the start.
phase() {
  phase=$1
  shift
  [ "$(tactus ctl transport | grep -c rolling)" = 1 ] || tactus ctl start >/dev/null
  sleep 1
  idle=$(idle)
  echo "$phase $(uptime_seconds) $seconds" >>/out/phases
  if [ $# = 0 ]; then sleep $seconds; else oscstorm "$@" --seconds $seconds; fi >"/out/storm-$phase"
  idle=$(($(idle) - idle))
  sleep 1
  tactus ctl stats >/out/stats
  sed "s/^/# $phase: /" "/out/storm-$phase"
  echo "# $phase: idle $((idle / seconds)) %"
  equal "$phase: no period of audio is missed" "$(figure xruns) $(figure missing)" "0 0"
}
storm() { value "/out/storm-$phase" "$1" "$2"; }

phase calm
resident=$(resident)
phase web --web "$web"
within "web: it was answered all the time" "$(storm web answers)" $((20 * seconds)) 1000000
equal "web: nobody was refused" "$(storm web refused)" 0
phase subscribers --subscribers 64
# 5 beats a second; the first and the last of them may be outside.
within "subscribers: all 64 hear every beat" "$(storm subscribers beats)" $((64 * 5 * seconds - 128)) \
  $((64 * 5 * seconds + 64))
within "subscribers: and three clicks between two beats" "$(storm subscribers subs)" \
  $((64 * 15 * seconds - 384)) $((64 * 15 * seconds + 192))
equal "subscribers: none hears of one too late" "$(storm subscribers late)" 0
phase flood --flood 0
within "flood: it takes what the processor has" "$idle" 0 $((seconds * 2)) "of $((seconds * 100))"
phase stop --flood 0 --stop udp
equal "stop: it is obeyed while the processor has no time" "$(storm stop answered)" 1
equal "stop: and stays obeyed" "$(tactus ctl transport | grep -c stopped)" 1
phase stop-tcp --flood 0 --stop tcp
equal "stop over TCP: it is obeyed" "$(storm stop answered) $(tactus ctl transport | grep -c stopped)" "1 1"
within "memory: growth through it all" "$(($(resident) - resident))" -1000 1024 KiB
stop_daemon
equal "it ended well" "$daemon_status" 0
kill -TERM $probe
wait $probe

# A straight line through the pulses of each phase as the kernel received them.
while read -r name from length; do
  case $name in stop*) continue ;; esac
  awk -v from="$from" -v length_s="$length" -v name="$name" '
    $3 == "clock" && $1 >= from * 1e9 && $1 <= (from + length_s) * 1e9 { t[n++] = $2 - first; if (!first) { first = $2; t[0] = 0 } }
    END {
      x = (n - 1) / 2
      for (i = 0; i < n; i++) y += t[i] / n
      for (i = 0; i < n; i++) { xx += (i - x) * (i - x); xy += (i - x) * (t[i] - y) }
      slope = xy / xx
      for (i = 0; i < n; i++) { e = t[i] - y - slope * (i - x); if (e > high) high = e; if (e < low) low = e }
      printf "%s pulses=%d spread_us=%.1f\n", name, n, (high - low) / 1000
    }' /out/events
done </out/phases >/out/pulses
sed 's/^/# /' /out/pulses
# 300 a minute are 120 pulses a second.
for name in calm web subscribers flood; do
  within "$name: every pulse comes" "$(value /out/pulses $name pulses)" $((120 * seconds - 1)) $((120 * seconds + 1))
  within "$name: they are even" "$(value /out/pulses $name spread_us)" 0 50 us
done
