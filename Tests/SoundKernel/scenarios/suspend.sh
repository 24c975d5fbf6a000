# The machine sleeps in play and wakes: the card is resumed, sound is back in phase with pulses that lie on the line
# they lay on before.
# checks: 8
# programs: tactusd tactus
. ./lib.sh
until_true 10 test -e /sys/power/pm_test
# The share that the host reads results through does not survive a sleep; it is mounted at the end.
rmmod 9p 9pnet_virtio
daemon 4/4 120 --device hw:Loopback,0 --rate 48000 --midi-connect clockprobe
until_true 10 grep -q RUNNING /proc/asound/card0/pcm0p/sub0/status
probe --until-stop --seconds 60 --bpm 120
sleep 4
echo 2 >/sys/module/suspend/parameters/pm_test_delay
echo devices >/sys/power/pm_test
echo mem >/sys/power/state
check "it is told that the card slept" until_true 10 grep 'was put to sleep' /out/tactusd.log
check "and that it woke" until_true 10 grep 'is awake' /out/tactusd.log
check "it plays" until_true 10 sh -c 'tactus ctl audio | grep playing'
# The probe's wait was broken off by the sleep.
wait $probe
cp /out/events /tmp/before
probe --until-stop --seconds 60 --bpm 120
capture --format FLOAT_LE --rate 48000 --seconds 5
wait $capture
stop_daemon
wait $probe
insmod /modules/9pnet_virtio.ko
insmod /modules/9p.ko
cat /out/probe /out/tactusd.log
aligned 0
# The probe began at whatever pulse came, so clicks lie on one of them: us from the nearest.
nearest() { awk -v us="$1" 'BEGIN { n = us / (62500 / 3); printf "%.1f", us - int(n + (n < 0 ? -0.5 : 0.5)) * 62500 / 3 }'; }
within "clicks are heard" "$(value /tmp/aligned aligned n)" 8 11
within "each with its pulse, earliest" "$(nearest "$(value /tmp/aligned aligned low_us)")" -100 100 us
within "each with its pulse, latest" "$(nearest "$(value /tmp/aligned aligned high_us)")" -100 100 us
# The first pulse after it against the line of those before it: whole intervals of 20833333.3 ns.
off=$(awk '$3 == "clock" && FILENAME == "/tmp/before" && n++ < 96 { sum += $2 - (n - 1) * 62500000 / 3; m = n }
  $3 == "clock" && FILENAME == "/out/events" && !seen++ {
    d = ($2 - sum / m) / (62500000 / 3); d -= int(d); if (d > 0.5) d -= 1; printf "%.1f", d * 62500 / 3 }' /tmp/before /out/events)
within "pulses lie on the line of those before it" "$off" -1000 1000 us
equal "it ended well" "$daemon_status" 0
