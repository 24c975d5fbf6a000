# A tablet behind a network that delays, loses and swaps packets, both ways: what it moves arrives exactly
# over both framings of a stream, and what it is told ends exactly too.
# checks: 14
# programs: tactusd tactus ip tc
# modules: sch_netem veth
# timeout: 900
. ./lib.sh
ip=/usr/bin/ip tc=/usr/bin/tc # busybox has them without namespaces and without netem
$ip netns add tablet
$ip link add air0 type veth peer name air1 netns tablet
$ip address add 10.9.0.1/24 dev air0
$ip link set air0 up
there="$ip netns exec tablet"
$there $ip address add 10.9.0.2/24 dev air1
$there $ip link set air1 up
impair="netem delay 20ms 15ms loss 10% reorder 25%"
check "the network delays, loses and swaps packets, there" $tc qdisc add dev air0 root $impair
check "and back" $there $tc qdisc add dev air1 root $impair
daemon 4/4 120 --device hw:Dummy,0 --no-midi --no-discovery
until_true 20 tactus ctl ping

$there oscstorm --host 10.9.0.1 --watch 2 --seconds 40 >/out/watched &
watched=$!
for way in udp size slip; do
  tactus ctl volume 0.1 >/dev/null
  $there oscstorm --host 10.9.0.1 --move $way --seconds 5 >"/out/moved-$way"
  sed 's/^/# /' "/out/moved-$way"
  equal "$way: a pong ends it" "$(value "/out/moved-$way" moved pong)" 1
  within "$way: a hundred values a second were sent" "$(value "/out/moved-$way" moved values)" 300 500
  equal "$way: the last value is exact" "$(tactus ctl volume)" "volume 0.625"
done
wait $watched
sed 's/^/# /' /out/watched
# 30 a second, of which a tenth is lost, while it moves; a snapshot every two seconds else.
within "the tablet that watches is told" "$(value /out/watched watched values)" 150 1200
equal "and ends with the last value" "$(value /out/watched watched last)" 0.625
stop_daemon
equal "the daemon ended well" "$daemon_status" 0
