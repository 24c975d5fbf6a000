# A page turner (a key device, as by Bluetooth or USB) starts and stops, taps, goes and comes back.
# checks: 9
# programs: tactusd tactus
# modules: uinput evdev
. ./lib.sh
export HOME=/tmp/home
plug() {
  rm -f /tmp/devices
  inputpad /tmp/devices >/out/pad &
  pad=$!
  until_true 10 test -e /tmp/devices
}
learn() { # learn NAME SIGNAL COMMAND
  tactus midi learn $3 >/out/learn-$1 2>&1 &
  learner=$!
  until_true 10 grep -q 'now play' /out/learn-$1
  kill -$2 $pad
  wait $learner
}
rolls() { tactus ctl transport | grep -q rolling; }
stopped() { tactus ctl transport | grep -q stopped; }

daemon --device hw:Dummy,0
until_true 10 tactus ctl ping
plug
learn right USR1 toggle
equal "the right pedal is learned" "$(tail -1 /out/learn-right)" "'key pagedown' is now 'toggle'"
learn left USR2 tap
equal "and the left one" "$(tail -1 /out/learn-left)" "'key pageup' is now 'tap'"
kill -USR1 $pad
check "a step starts" until_true 5 rolls
# A second step at once would be the first one's bounce.
sleep 1
kill -USR1 $pad
check "a step stops" until_true 5 stopped
# Three quarters of a second between steps are 80 a minute; the kernel's stamp is what counts.
for tap in 1 2 3 4 5; do
  kill -USR2 $pad
  usleep 750000
done
within "five taps" "$(tactus ctl tempo | awk '{ print $2 }')" 77 82 bpm
kill $pad
wait $pad
sleep 1
check "without its device the daemon goes on" tactus ctl ping
plug
sleep 1
kill -USR1 $pad
check "a pedal that came back starts" until_true 5 rolls
sleep 1
kill -USR1 $pad
check "and stops" until_true 5 stopped
kill $pad
stop_daemon
equal "it ended well" "$daemon_status" 0
