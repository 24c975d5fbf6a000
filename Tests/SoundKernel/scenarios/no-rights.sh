# Without real-time rights a kernel queue keeps the instants: its ticks are 160 us apart, and what they add is
# taken off, so that on average pulses are on the click. Start and Stop arrive as ever.
# checks: 5
# programs: tactusd tactus setpriv
. ./lib.sh
echo 'nobody:x:99:99:nobody:/tmp:/bin/sh' >>/etc/passwd
echo 'nobody:x:99:' >>/etc/group
chmod 666 /dev/snd/*
# busybox has a setpriv of its own, which cannot change the user.
as_nobody() { exec /usr/bin/setpriv --reuid 99 --regid 99 --clear-groups "$@"; }
probe --until-stop --seconds 60 --bpm 113
(as_nobody tactusd 4/4 113 --device hw:Dummy,0 --period 240 --midi-connect clockprobe) >/out/tactusd.log 2>&1 &
daemon=$!
until_true 10 tactus ctl ping
sleep 2
tactus midi measure --for 12 >/out/measured 2>&1
tactus ctl stop
wait $probe
kill -TERM $daemon
wait $daemon
cat /out/probe /out/measured
check "it says that it has no real-time rights" grep 'real-time scheduling refused for the MIDI thread' /out/tactusd.log
equal "start, pulses, stop" \
  "$(awk '$3 ~ /^(start|stop|continue|clock)$/ && $3 != last { printf "%s ", $3; last = $3 }' /out/events)" "start clock stop "
equal "no pulse is lost or comes twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "residual to the fitted line, p0.1 to p99.9" "$(value /out/probe 'kernel residual_us' spread)" 0 180 us
within "on the click in the middle" "$(sed -n 's/^to click .* p50 \([-0-9.]*\), .*/\1/p' /out/measured)" -60 60 us
