# What may happen to a machine in play, one after the other, with sound recorded, pulses and beats stamped: where
# nothing breaks the sound, all of it is what was rendered, sample for sample; where something does, all after the gap.
# Every pulse and every beat lies where arithmetic from the first ones puts it.
# checks: 45
# programs: tactusd tactus
# timeout: 1500
# limit: 1200
# memory: 768
. ./lib.sh
tactus render 4/4 120 --duration 60s --rate 48000 --bits float --wav /tmp/offline.wav

# on_line AFTER FILE: how far, in us, the instants in ns of FILE (number and instant, one a line) lie from the line
# through those of its first 2.5 s, from AFTER seconds on; 1000000 where there are none.
on_line() {
  awk -v after="$1" '
    BEGIN { n = 0 }
    { k[n] = $1; t[n++] = $2 }
    END {
      if (n < 4) { print 1000000; exit }
      for (m = 0; m < n && t[m] - t[0] < 2.5e9; m++) { x += k[m]; y += t[m] - t[0] }
      x /= m; y /= m
      for (i = 0; i < m; i++) { xx += (k[i] - x) * (k[i] - x); xy += (k[i] - x) * (t[i] - t[0] - y) }
      for (i = 0; i < n; i++) {
        e = (t[i] - t[0] - y - xy / xx * (k[i] - x)) / 1000
        if (e < 0) e = -e
        if (e > worst && t[i] - t[0] >= after * 1e9) worst = e
      }
      printf "%.1f\n", worst
    }' "$2"
}

# begin SECONDS OPTIONS...: recorder, pulses, daemon and beats, until three seconds are played.
begin() {
  seconds=$1
  shift
  probe --until-stop --seconds $((seconds + 20)) --bpm 120
  capture --format FLOAT_LE --rate 48000 --seconds "$seconds"
  daemon 4/4 120 --device hw:Loopback,0,0 --rate 48000 --midi-connect clockprobe "$@"
  until_true 10 tactus ctl ping
  stamp beats --subscribe 127.0.0.1:9700 --seconds 1000
  sleep 3
}

# judge NAME PULSES_US BEATS_US [AFTER]: ends it all; pulses by their number, beats by bar and beat against the instants they name.
judge() {
  stop_daemon
  kill -TERM $stamp
  wait $probe $capture $stamp
  awk '$3 == "clock" { print n++, $2 }' /out/events >/tmp/pulses
  awk '$2 == "/tactus/beat" { print ($5 - 1) * 4 + $6, $NF }' /out/beats >/tmp/beats
  within "$1: every pulse lies on the line" "$(on_line ${4:-0} /tmp/pulses)" 0 "$2" us
  within "$1: every beat names an instant on the line" "$(on_line 0 /tmp/beats)" 0 "$3" us
  equal "$1: it ended well" "$daemon_status" 0
}

# unbroken NAME SECONDS: so much of what was recorded is what was rendered.
unbroken() {
  frames=$(($2 * 48000))
  capturecmp /out/capture.wav /tmp/offline.wav --frames $frames >/tmp/compared
  echo "# $1: $(cat /tmp/compared)"
  equal "$1: the sound is the rendering, sample for sample" \
    "$(sed 's/.*\(compared=[0-9]* different=[0-9]*\).*/\1/' /tmp/compared)" "compared=$frames different=0"
}

# broken NAME FROM: all that was recorded from FROM seconds on.
broken() {
  capturecmp /out/capture.wav /tmp/offline.wav --from $(($2 * 48000)) --frames 96000 >/tmp/compared
  echo "# $1: $(cat /tmp/compared)"
  equal "$1: after the gap the sound is the rendering, sample for sample" \
    "$(sed 's/.*\(compared=[0-9]* different=[0-9]*\).*/\1/' /tmp/compared)" "compared=96000 different=0"
  aligned "$2"
  # snd-aloop runs on the kernel's tick of 4 ms.
  within "$1: and every click is with its pulse" "$(value /tmp/aligned aligned high_us)" -4200 4200 us
}

begin 12
for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & hogs="$hogs $!"; done
sleep 4
kill $hogs
sleep 1
judge "eight processes that take all time" 200 200
unbroken "eight processes that take all time" 7

begin 14
for difference in 5 -5 3600 -3600; do
  date -s "@$(($(date +%s) + difference))" >/dev/null
  sleep 1
done
sleep 2
judge "the wall clock set by 5 s and an hour" 100 100
unbroken "the wall clock set by 5 s and an hour" 8

aseqdump -p 0:1 >/dev/null &
other=$!
begin 12 --midi-port Other,connect=aseqdump
check "another receiver is connected" grep "connected to.*aseqdump" /out/tactusd.log
kill $other
sleep 2
judge "another receiver leaves" 100 100
unbroken "another receiver leaves" 4

begin 13
oscstorm --flood 0 --seconds 4 >/out/storm
sleep 1
judge "a flood of packets" 200 200
# The flood moves the volume, to silence too, so only the places of the clicks that sound are known.
capturecmp /out/capture.wav /tmp/offline.wav --frames 336000 --onsets /tmp/onsets >/tmp/compared
echo "# a flood of packets: $(cat /tmp/compared)"
equal "a flood of packets: every click is on its frame" \
  "$(awk '$1 % 24000 { off++ } END { print (NR >= 8) " " off + 0 }' /tmp/onsets)" "1 0"

# As much room as one small file needs is taken by another.
mkdir -p /tmp/small
mount -t tmpfs -o size=16k small /tmp/small
STATE=/tmp/small/state
begin 13
dd if=/dev/zero of=/tmp/small/full bs=1k count=64 2>/dev/null
for tempo in 119 118 120; do
  tactus ctl countin $((tempo - 117)) >/dev/null
  sleep 1
done
check "a full disk is told once" test "$(grep -c 'the last state is not kept' /out/tactusd.log)" = 1
sleep 1
judge "a full disk" 100 100
unbroken "a full disk" 6
check "a full disk: what was kept before can be read" sh -c 'tactus ctl ping >/dev/null; grep -q "\"version\": 1" /tmp/small/state/state.json'
STATE=

mkdir -p /sys/fs/cgroup
mount -t cgroup2 cgroup /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/small
begin 12
echo $daemon >/sys/fs/cgroup/small/cgroup.procs
echo 4M >/sys/fs/cgroup/small/memory.max
for i in 1 2 3 4 5 6 7 8 9 10; do
  tactus ctl preset/list >/dev/null
  tactus ctl sound/soft bell >/dev/null
  sleep 0.3
done
sleep 1
judge "4 MB for all it takes from now on" 200 200
unbroken "4 MB for all it takes from now on" 6

# A journal that was stopped: nobody reads what is said.
mkfifo /tmp/journal
sleep 1000 </tmp/journal &
reader=$!
probe --until-stop --seconds 40 --bpm 120
capture --format FLOAT_LE --rate 48000 --seconds 12
seconds=12
tactusd 4/4 120 --device hw:Loopback,0,0 --rate 48000 --midi-connect clockprobe --state-folder off </dev/null >/tmp/journal 2>&1 &
daemon=$!
until_true 10 tactus ctl ping
stamp beats --subscribe 127.0.0.1:9700 --seconds 1000
for i in 1 2 3 4 5 6 7 8 9 10; do
  for action in tap start stop toggle mute; do
    # Each of these is a line, and a pipe holds a thousand of them.
    for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do oscsend localhost 9700 /tactus/midi/learn s $action; done
  done
done
check "a journal that takes nothing: it answers" tactus ctl ping
sleep 4
judge "a journal that takes nothing" 200 200
unbroken "a journal that takes nothing" 5
kill $reader

# A name server that never answers.
echo 'nameserver 127.0.0.1' >/etc/resolv.conf
# It takes what comes and says nothing.
oscstamp --port 53 --seconds 1000 >/dev/null 2>&1 &
server=$!
begin 13 --feedback tablet.invalid:9 --beat-target lamp.invalid:9,gate
for name in a b c d; do
  tactus ctl tempo 120 >/dev/null
  sleep 1
done
judge "a name server that never answers" 100 100
unbroken "a name server that never answers" 6
kill $server

# From here on sound breaks.
begin 12
kill -STOP $daemon
sleep 0.5
kill -CONT $daemon
sleep 5
judge "stopped for 500 ms" 200 200 6
broken "stopped for 500 ms" 6

begin 75
kill -STOP $daemon
sleep 60
kill -CONT $daemon
sleep 6
stop_daemon
kill -TERM $stamp
wait $probe $capture $stamp
awk '$2 == "/tactus/beat" { print ($5 - 1) * 4 + $6, $NF }' /out/beats >/tmp/beats
# A minute ahead by the card's rate as it was known: some microseconds a second.
within "stopped for a minute: every beat names an instant on the line" "$(on_line 0 /tmp/beats)" 0 1000 us
equal "stopped for a minute: it ended well" "$daemon_status" 0
# The probe of pulses ends where none come; beats name the instants just as well.
awk '$2 == "/tactus/beat" { for (i = 0; i < 24; i++) print $NF, $NF, "clock" }' /out/beats >/out/events
broken "stopped for a minute" 65
