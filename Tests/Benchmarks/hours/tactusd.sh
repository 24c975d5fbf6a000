# A day of the metronome in a few minutes: the daemon's clocks run 200 times as fast (libfaketime), so
# it lives through every beat, pulse and timer of 24 hours. MIDI clock goes to Midi Through, beats to a
# subscriber, and a player changes the tempo, glides, mutes and moves the fader all the while.
# checks: 3
# programs: tactusd tactus /usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1
# timeout: 5400
. ./lib.sh
pace=200
export LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1 FAKETIME="+0 x$pace"
export FAKETIME_DONT_RESET=1 FAKETIME_FORCE_MONOTONIC_FIX=0
daemon 4/4 120 --device none --midi-connect 14:0 --beat-target 127.0.0.1:9001,gate,/lamp
unset LD_PRELOAD FAKETIME
sample() { # sample HOUR: pages in use, in KiB
  awk -v hour="$1" '/^(VmRSS|RssAnon|VmLck|VmData):/ { sub(":", "", $1); printf " %s_KiB=%d", $1, $2 }
    END { print " hour=" hour }' /proc/$daemon/status
}
ctl() { tactus ctl "$@" >/dev/null 2>&1; }
sleep 3
sample 0 | tee /out/day
hour=0
while [ $hour -lt 24 ]; do
  # An hour lasts 18 s.
  for part in 1 2 3 4 5 6; do
    ctl tempo $((100 + (hour * 7 + part) % 60)), mute 1, mute 0
    ctl ramp glide 110 130 60
    ctl volume 0.$((4 + part)), subdivision $((1 + part % 4))
    sleep 3
  done
  hour=$((hour + 1))
  sample $hour | tee -a /out/day
done
last=$(sed -n 's/.*RssAnon_KiB=\([0-9]*\).*hour=24$/\1/p' /out/day)
top=$(sed -n 's/.*VmRSS_KiB=\([0-9]*\).*hour=24$/\1/p' /out/day)
first=$(sed -n 's/.*RssAnon_KiB=\([0-9]*\).*hour=1$/\1/p' /out/day)
check "it lives" kill -0 $daemon
within "growth of its own memory from hour 1 to hour 24" $((last - first)) -64 64 KiB
within "resident after a day" $top 0 16384 KiB
tactus ctl state 2>/dev/null | tail -n 3
stop_daemon
