# What may befall a take: the process is stopped, the disk is full, the microphone is pulled, the power goes. The
# metronome plays on, and what was recorded until then is there.
# checks: 17
# programs: tactusd tactus
# timeout: 600
# limit: 600
. ./lib.sh
ulimit -l unlimited
mkdir -p /tmp/user/takes
mount -t tmpfs -o size=2m tmpfs /tmp/user/takes
daemon 4/4 120 --device hw:Dummy,0 --capture hw:Loopback,1,0 --folder /tmp/user --no-discovery --midi-connect clockprobe
probe --until-stop --seconds 120 --bpm 120
until_true 10 tactus ctl ping
resident() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$daemon/status"; }
sleep 3
before=$(resident)
frames() { tactus take repair "$1" --folder /tmp/user | sed 's/.*: \([0-9]*\) frames.*/\1/'; }

check "a take begins in play" tactus ctl take start stopped --timeout 10000
sleep 3
within "a take costs" "$(($(resident) - before))" 0 8192 KiB
kill -STOP $daemon
sleep 1
kill -CONT $daemon
sleep 2
check "it is completed" tactus ctl take stop --timeout 10000
cat /tmp/user/takes/stopped.json
check "what was missed while the process stood still is listed" grep gaps /tmp/user/takes/stopped.json
within "and is silence of its length: the take lasts" "$(frames stopped)" 271200 340800 frames
tactus take delete stopped --folder /tmp/user

# 2 MB are 7.2 s of 24 bits in stereo.
check "another begins" tactus ctl take start full --timeout 10000
until_true 30 grep -q "the disk is full" /out/tactusd.log
check "a full disk is said" grep "the disk is full" /out/tactusd.log
within "what fitted is kept" "$(frames full)" 200000 360000 frames
check "and the metronome plays on" sh -c 'tactus ctl state | grep -q "transport.*rolling"'
tactus take delete full --folder /tmp/user

check "a third begins" tactus ctl take start pulled --timeout 10000
sleep 3
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind &
until_true 20 grep -q "'hw:Loopback,1,0' is gone" /out/tactusd.log
check "a pulled microphone is said" grep "'hw:Loopback,1,0' is gone" /out/tactusd.log
within "what was heard is kept" "$(frames pulled)" 96000 240000 frames
tactus ctl take start none --timeout 10000 >/out/gone 2>&1
check "without it a take is refused with the way out" grep -- "--capture" /out/gone
tactus take delete pulled --folder /tmp/user
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind
until_true 10 test -e /dev/snd/pcmC0D1c

check "a fourth begins" tactus ctl take start killed --timeout 10000
sleep 4.5
kill -KILL $daemon
wait $daemon 2>/dev/null
cat /out/tactusd.log
within "after kill -9 the file has all but the last second" "$(frames killed)" 160000 260000 frames
check "and it can be exported" tactus take export killed --folder /tmp/user --to /tmp/killed.wav
wait $probe
cat /out/probe
# Pulses stop with the process, not before.
within "no pulse was lost but while the process was stopped" "$(value /out/probe 'clock ' lost)" 0 60
