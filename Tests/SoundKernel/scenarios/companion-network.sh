# A wristband behind a bad network, whose clock is set wrong by an hour and drifts by 100 ppm, fires at the
# announced instants; beside it what a receiver gets that acts when a packet arrives.
# checks: 12
# programs: tactusd tactus ip tc
# modules: sch_netem veth
# timeout: 600
seconds=120
. ./lib.sh
# busybox has an ip without namespaces and a tc without netem
ip=/usr/bin/ip tc=/usr/bin/tc
$ip netns add wrist
$ip link add air0 type veth peer name air1 netns wrist
$ip address add 10.9.0.1/24 dev air0
$ip link set air0 up
BEFORE="$ip netns exec wrist"
$BEFORE $ip address add 10.9.0.2/24 dev air1
$BEFORE $ip link set air1 up
$BEFORE $ip link set lo up
# Uniform in -15 .. 25 ms, below zero at once; both ways.
impair="netem delay 5ms 20ms loss 5% reorder 25%"
check "the network delays, loses and swaps packets, there" $tc qdisc add dev air0 root $impair
check "and back" $BEFORE $tc qdisc add dev air1 root $impair

stamp lamp --port 9001
lamp=$stamp
daemon 4/4 120 --device hw:Dummy,0 --period 480 --no-midi --beat-target 10.9.0.2:9001,gate,/lamp
sleep 1
stamp air --subscribe 10.9.0.1:9700
air=$stamp
BEFORE=
stamp truth --subscribe 127.0.0.1:9700
truth=$stamp
$ip netns exec wrist tactus companion 10.9.0.1 --quiet --for $seconds --trial-offset 3600 --trial-drift 100 \
  --log /out/fired >/out/companion 2>&1
companion_status=$?
kill -TERM $lamp $air $truth
wait $lamp $air $truth
stop_daemon
cat /out/companion

equal "the companion ended well" "$companion_status" 0
# Beats whose announcement arrived: the companion's own count. Those that it was late for are not in the
# file but counted. What it presumed, because the announcement was lost, is judged by itself.
announced=$(sed -n 's/^\([0-9]*\) beats announced.*/\1/p' /out/companion)
unclocked=$(sed -n 's/.* \([0-9]*\) before the clock was known.*/\1/p' /out/companion)
late=$(sed -n 's/.* \([0-9]*\) late.*/\1/p' /out/companion)
awk '$4 == 0 { print $3 }' /out/fired >/tmp/late
awk '$4 == 1 { print $3 }' /out/fired >/tmp/presumed
lateness announced /tmp/late >/out/figures
lateness presumed /tmp/presumed >>/out/figures
# The instants as announced without loss, to which other receivers' arrivals are compared.
awk '$2 == "/tactus/beat" { print $11 }' /out/truth | sort -n >/out/due
# nearest FILE: lateness of each instant against the nearest one that was due.
nearest() {
  awk 'FILENAME == "/out/due" { due[++n] = $1; next }
    {
      while (at < n && due[at + 1] <= $1) at++
      late = at ? $1 - due[at] : 1e18
      if (at < n && due[at + 1] - $1 < late) late = $1 - due[at + 1]
      if (late * late < 0.0625e18) printf "%d\n", late # half a beat off is none of these beats
    }' /out/due "$1"
}
awk '$2 == "/lamp" && $3 == 1 { print $1 }' /out/lamp >/tmp/lamp
nearest /tmp/lamp >/tmp/lamp-late
lateness arrival /tmp/lamp-late >>/out/figures
awk '$2 == "/tactus/beat" { print $11 - $1 }' /out/air >/tmp/ahead
awk '$2 == "/tactus/beat" { print $11 - $1 }' /out/truth >/tmp/ahead-here
lateness air /tmp/ahead >>/out/figures
lateness lead /tmp/ahead-here >>/out/figures
sed 's/^/# /' /out/figures

# 120 a minute: 2 a second, of which 5 % are lost.
within "nineteen beats of twenty are heard of" "$announced" $((seconds * 180 / 100)) $((seconds * 2 - 1))
# The last one is announced and not yet due when it ends.
within "of these all fire or are late" "$(($(value /out/figures announced n) + late + unclocked - announced))" -1 0
within "at most the first came before the clock was known" "$unclocked" 0 1
within "99.9 % of them within 4 ms" "$(awk -v inside="$(value /out/figures announced inside)" -v late="$late" \
  -v n="$(value /out/figures announced n)" 'BEGIN { print 100 * inside / (n + late) }')" 99.9 100 %
within "nothing is added up" "$(value /out/figures announced wander_us)" -500 500 us
within "a beat whose packet was lost is presumed in time" "$(value /out/figures presumed share)" 99 100 %
within "an announcement leaves 100 ms ahead" "$(value /out/figures lead low_us)" 100000 250000 us
within "who acts on arrival is later than 4 ms more often than one time in five" \
  "$(value /out/figures arrival share)" 0 80 %
equal "the daemon ended well" "$daemon_status" 0
