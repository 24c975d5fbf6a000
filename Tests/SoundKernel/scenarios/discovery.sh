# Found without typing an address: what avahi-daemon announces, as another machine sees it, from the start
# to the end, with two of the same name, and when avahi-daemon itself comes back.
# checks: 12
# programs: tactusd tactus-web dbus-daemon avahi-daemon avahi-browse avahi-publish ip
# modules: veth
# timeout: 900
. ./lib.sh
ip=/usr/bin/ip # busybox has one without namespaces
$ip netns add tablet
$ip link add air0 type veth peer name air1 netns tablet
$ip address add 10.9.0.1/24 dev air0
$ip link set air0 up

echo 'avahi:x:70:70:::' >>/etc/passwd
echo 'avahi:x:70:' >>/etc/group
# Each machine has a bus and a daemon of its own, in its own /run.
cat >/tmp/bus.conf <<'END'
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
  </policy>
</busconfig>
END
cat >/tmp/machine.sh <<'END'
mkdir -p /run/dbus /run/avahi-daemon
dbus-daemon --config-file=/tmp/bus.conf --nofork >/out/bus-$1 2>&1 &
until test -e /run/dbus/system_bus_socket; do usleep 50000; done
printf '[server]\nhost-name=%s\nuse-ipv6=no\nallow-interfaces=%s\n' $1 $2 >/tmp/avahi-$1.conf
avahi-daemon --no-drop-root --no-chroot --no-rlimits -f /tmp/avahi-$1.conf >>/out/avahi-$1 2>&1 &
END
cat >/tmp/tablet.sh <<'END'
mount -t tmpfs run /run
/usr/bin/ip link set lo up
/usr/bin/ip address add 10.9.0.2/24 dev air1
/usr/bin/ip link set air1 up
. /tmp/machine.sh tablet air1
# Asked through files, so that a question needs no second way into this namespace.
while sleep 0.1; do
  [ -e /tmp/question ] || continue
  question=$(cat /tmp/question)
  rm /tmp/question
  sh -c "$question" >/tmp/answer.new 2>>/out/tablet-errors
  mv /tmp/answer.new /tmp/answer
done
END
$ip netns exec tablet sh /tmp/tablet.sh >/out/tablet 2>&1 &
tablet=$!
sh /tmp/machine.sh stage air0

on_tablet() {
  rm -f /tmp/answer
  echo "$1" >/tmp/question.new
  mv /tmp/question.new /tmp/question
  until_true 30 test -e /tmp/answer
  cat /tmp/answer
}
# seen TYPE: name, address and port of each service that the tablet finds, in order of the names.
seen() {
  on_tablet "avahi-browse -rptk $1" | awk -F';' '$1 == "=" { gsub(/\\032/, " ", $4); gsub(/\\035/, "#", $4); print $4, $8, $9 }' | sort
}
# comes TYPE EXPECTED: until the tablet sees this, for 20 s at most; what it sees.
comes() {
  tries=20
  while answer=$(seen "$1"); [ "$answer" != "$2" ] && [ $tries -gt 0 ]; do
    tries=$((tries - 1))
    sleep 1
  done
  echo "$answer"
}
web_of() { sed -n 's,.*page at http://[^/]*:\([0-9]*\)/.*,\1,p' "$1"; }

until_true 20 grep -q 'Server startup complete' /out/avahi-stage
until_true 20 grep -q 'Server startup complete' /out/avahi-tablet
daemon 4/4 120 --device hw:Dummy,0 --no-midi
until_true 20 grep -q "announced as 'Tactus'" /out/tactusd.log
web=$(web_of /out/tactusd.log)
equal "the OSC port is announced" "$(comes _osc._udp 'Tactus 10.9.0.1 9700')" 'Tactus 10.9.0.1 9700'
equal "and the port of OSCQuery" "$(comes _oscjson._tcp "Tactus 10.9.0.1 $web")" "Tactus 10.9.0.1 $web"
equal "and the page, on the same port" "$(comes _http._tcp "Tactus 10.9.0.1 9780")" "Tactus 10.9.0.1 $web"

first=$daemon
tactusd 4/4 120 --device hw:Dummy,0 --no-midi --osc-port 9701 --state-folder off >/out/second 2>&1 &
second=$!
both="Tactus #2 10.9.0.1 9701
Tactus 10.9.0.1 9700"
equal "a second one on this machine has a name of its own" "$(comes _osc._udp "$both")" "$both"
check "and says so" grep -q "announced as 'Tactus #2'" /out/second
kill -TERM $second
wait $second
equal "when it ends its name goes" "$(comes _osc._udp 'Tactus 10.9.0.1 9700')" 'Tactus 10.9.0.1 9700'

kill -TERM "$(cat /run/avahi-daemon/pid)"
equal "without avahi-daemon nobody is found" "$(comes _osc._udp '')" ''
avahi-daemon --no-drop-root --no-chroot --no-rlimits -f /tmp/avahi-stage.conf >>/out/avahi-stage 2>&1 &
equal "when it comes back the daemon is" "$(comes _osc._udp 'Tactus 10.9.0.1 9700')" 'Tactus 10.9.0.1 9700'
stop_daemon
equal "with the daemon the announcement ends" "$(comes _osc._udp '')$(comes _oscjson._tcp '')" ''

# The name is taken by another machine, before or after.
on_tablet 'avahi-publish -s Tactus _osc._udp 1234 >/out/publish 2>&1 &'
comes _osc._udp 'Tactus 10.9.0.2 1234' >/dev/null
daemon 4/4 120 --device hw:Dummy,0 --no-midi
other="Tactus #2 10.9.0.1 9700
Tactus 10.9.0.2 1234"
equal "a name that another machine has is left to it" "$(comes _osc._udp "$other")" "$other"
equal "nothing was missed by the audio thread" "$(grep -c xrun /out/tactusd.log)" 0
stop_daemon
kill $tablet
equal "the daemon ended well" "$daemon_status" 0
