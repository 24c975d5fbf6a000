# Ten companions at once; one is held up and goes on; the daemon is killed and comes back, at leisure and at
# once. All take up the pulse again, and no beat is fired twice.
# checks: 12
# programs: tactusd tactus
. ./lib.sh
all="1 2 3 4 5 6 7 8 9 10"
start_daemon() {
  daemon 4/4 120 --device hw:Dummy,0 --no-midi
}
killed() {
  kill -KILL "$daemon"
  wait "$daemon" 2>/dev/null
  uptime_seconds
}
start_daemon
sleep 1
for i in $all; do
  tactus companion --quiet --for 62 --log "/out/fired-$i" >"/out/companion-$i" 2>&1 &
  eval "companion_$i=$!"
done
sleep 10
held_up=$(uptime_seconds)
kill -STOP "$companion_3"
sleep 3.3
kill -CONT "$companion_3"
went_on=$(uptime_seconds)
sleep 7
# 8 beats are presumed, 4 s; then silence.
first_kill=$(killed)
sleep 8
start_daemon
sleep 12
second_kill=$(killed)
sleep 1.2
again=$(uptime_seconds)
start_daemon
for i in $all; do
  eval "wait \$companion_$i" || echo "companion $i ended with $?"
done >/out/statuses
stop_daemon
cat /out/companion-3 /out/companion-10
echo "held up $held_up went on $went_on, killed $first_kill $second_kill, again $again"

equal "all companions ended well" "$(cat /out/statuses)" ""
# announced FROM TO FILE...: announced beats fired between two instants, in seconds.
announced() {
  from=$1 to=$2
  shift 2
  cat "$@" | awk -v from="$from" -v to="$to" '$4 == 0 && $2 > from * 1e9 && $2 < to * 1e9' | wc -l | tr -d ' '
}
presumed() {
  from=$1 to=$2
  shift 2
  cat "$@" | awk -v from="$from" -v to="$to" '$4 == 1 && $2 > from * 1e9 && $2 < to * 1e9' | wc -l | tr -d ' '
}
after() { awk -v t="$1" -v s="$2" 'BEGIN { print t + s }'; }
cat /out/fired-* | awk '{ print $3 }' >/tmp/late
lateness ten /tmp/late >/out/figures
sed 's/^/# /' /out/figures
equal "of all ten every beat that fires does so within 4 ms" "$(value /out/figures ten share)" 100.000
# Between the start of the last companion and the first kill: the same beats in all but the third.
same=$(for i in $all; do
  [ $i = 3 ] || awk -v to="$first_kill" '$4 == 0 && $1 > 8e9 && $1 < to * 1e9 { print $1 }' "/out/fired-$i" | md5sum
done | sort -u | wc -l | tr -d ' ')
equal "nine fire the same beats" "$same" 1
twice=$(for i in $all; do cut -d' ' -f1 "/out/fired-$i" | sort | uniq -d; done | wc -l | tr -d ' ')
equal "no instant is fired twice" "$twice" 0
# A quarter of a beat is the least distance at which two beats are two: 125 ms.
close=$(for i in $all; do awk 'last && $2 - last < 125e6; { last = $2 }' "/out/fired-$i"; done | wc -l | tr -d ' ')
equal "and none close to another" "$close" 0
equal "the one held up fires nothing meanwhile" \
  "$(announced "$(after "$held_up" 0.02)" "$(after "$went_on" -0.02)" /out/fired-3)" 0
within "and is back with the first beat that it hears of" \
  "$(announced "$went_on" "$(after "$went_on" 3)" /out/fired-3)" 5 7 beats
within "it dropped what was late" "$(sed -n 's/.* \([0-9]*\) late.*/\1/p' /out/companion-3)" 5 7 beats
equal "each presumes 8 beats when the daemon is gone, then rests" \
  "$(presumed "$first_kill" "$(after "$first_kill" 8)" /out/fired-*) $(presumed "$(after "$first_kill" 5.2)" "$(after "$first_kill" 8)" /out/fired-*)" "80 0"
# The daemon is there 8 s after; 2 s at most until the companion asks again, and a second to start in.
within "all fire again 4 s after the daemon came back" \
  "$(announced "$(after "$first_kill" 12)" "$(after "$first_kill" 17)" /out/fired-*)" 90 110 beats
within "also when it came back at once" \
  "$(announced "$(after "$again" 4)" "$(after "$again" 9)" /out/fired-*)" 90 110 beats
equal "the daemon ended well" "$daemon_status" 0
