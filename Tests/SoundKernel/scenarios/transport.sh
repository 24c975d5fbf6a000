# Stop, continue and start over OSC, and the MIDI messages that belong to them.
# checks: 10
# programs: tactusd
. ./lib.sh
osc() { oscsend localhost 9700 "$@"; }
probe --seconds 60
daemon --device hw:Dummy,0 --midi-connect clockprobe
sleep 2
before=$(uptime_seconds)
osc /tactus/start
sleep 2.5
osc /tactus/stop
sleep 1
osc /tactus/continue
sleep 2
osc /tactus/stop
sleep 1
osc /tactus/start
sleep 2
stop_daemon
kill -TERM $probe
wait $probe
cat /out/probe
awk '$3 ~ /^(start|stop|continue|clock|songpos)$/ && $3 != last { printf "%s ", $3; last = $3 } END { print "" }' \
  /out/events >/out/order
cat /out/order
equal "start, stop, continue, stop, start, stop" "$(sed 's/songpos //g; s/clock //g' /out/order)" \
  "start stop continue stop start stop "
# n pulses up to the stop; then the song position, in sixteenths of 6 pulses, and the pulses that lead up to
# that sixteenth, which a stopped receiver ignores; then continue, just before the pulse the position names.
awk '
  $3 == "start" { n = 0; rolling = 1; starts++ }
  $3 == "stop" { rolling = 0; position = "" }
  $3 == "songpos" { position = $4; if (rolling) misplaced++ }
  $3 == "clock" { if (!rolling && position == "") early++; if (!rolling) lead++; n++ }
  $3 == "continue" { rolling = 1; named = position * 6; reached = n }
  END {
    printf "stopped early=%d misplaced=%d lead=%d\n", early, misplaced, lead
    printf "continue named=%d reached=%d\n", named, reached
  }' /out/events >/out/stopped
cat /out/stopped
equal "no pulse between stop and what follows" "$(value /out/stopped stopped early)" 0
equal "no song position while rolling" "$(value /out/stopped stopped misplaced)" 0
within "pulses up to the next sixteenth" "$(value /out/stopped stopped lead)" 0 5
equal "continue is at the pulse that the song position names" \
  "$(value /out/stopped continue named)" "$(value /out/stopped continue reached)"
# Every start and continue is followed by its first pulse 1 to 2 ms later.
awk '$3 ~ /start|continue/ { at = $1 } $3 == "clock" && at { print ($1 - at) / 1000; at = 0 }' /out/events >/out/leads
equal "three times a first pulse" "$(wc -l </out/leads | tr -d ' ')" 3
within "the shortest lead" "$(sort -n /out/leads | head -1)" 1000 2000 us
within "the longest lead" "$(sort -n /out/leads | tail -1)" 1000 2000 us
# The uptime is read to a hundredth, so up to 10 ms too early.
within "the first pulse after the start command" \
  "$(awk -v before="$before" '$3 == "clock" { print $1 / 1e6 - before * 1000; exit }' /out/events)" 200 300 ms
equal "it ended well" "$daemon_status" 0
