# Stop, continue and start over OSC, and the MIDI messages that belong to them.
# checks: 8
# programs: tactusd tactus
. ./lib.sh
probe --seconds 30
daemon --device hw:Dummy,0 --midi-connect clockprobe
until_true 10 tactus ctl ping
check "it stands still until told" sh -c '! tactus ctl state | grep -q rolling'
before=$(uptime_seconds)
tactus ctl start
sleep 2.5
tactus ctl stop
sleep 1
tactus ctl continue
sleep 2
tactus ctl stop
sleep 1
tactus ctl start
sleep 2
stop_daemon
kill -TERM $probe
wait $probe
cat /out/probe
awk '$3 ~ /^(start|stop|continue|clock|songpos)$/ && $3 != last { printf "%s ", $3; last = $3 }' /out/events >/out/order
cat /out/order
equal "start, stop, continue, stop, start, stop" "$(sed 's/songpos //g; s/clock //g' /out/order)" \
  "start stop continue stop start stop "
equal "no pulse while stopped" "$(awk '
  $3 == "stop" { stopped = 1 } $3 ~ /start|continue/ { stopped = 0 }
  $3 == "clock" && stopped { n++ } END { print n + 0 }' /out/events)" 0
# Every start and continue is followed by its first pulse 1 to 2 ms later.
awk '$3 ~ /start|continue/ { at = $1 } $3 == "clock" && at { print ($1 - at) / 1000; at = 0 }' /out/events >/out/leads
equal "three times a first pulse" "$(wc -l </out/leads | tr -d ' ')" 3
within "the shortest lead" "$(sort -n /out/leads | head -1)" 1000 2000 us
within "the longest lead" "$(sort -n /out/leads | tail -1)" 1000 2000 us
within "the first pulse after the start command" \
  "$(awk -v before="$before" '$3 == "clock" { print $1 / 1e6 - before * 1000; exit }' /out/events)" 200 300 ms
equal "it ended well" "$daemon_status" 0
