# A USB card is pulled in play and comes back under another number, twice: it is taken back by its name, and no pulse is
# bent or lost.
# checks: 9
# programs: tactusd tactus
# modules: snd-usb-audio xhci-pci
# qemu: -device qemu-xhci,id=xhci -audiodev none,id=a0 -device usb-audio,audiodev=a0,id=ua
. ./lib.sh
usb() { echo /proc/asound/Audio; }
number() { readlink /proc/asound/Audio | tr -dc 0-9; }
playing() { grep -q RUNNING /proc/asound/Audio/pcm0p/sub0/status; }
port() { dirname "$(find /sys/bus/usb/devices/*/ -name product -exec grep -l 'USB Audio' {} + | head -1)"; }
until_true 10 test -e /proc/asound/Audio
first=$(number)
port=$(port)
probe --until-stop --seconds 90 --bpm 120
daemon 4/4 120 --device hw:CARD=Audio --midi-connect clockprobe
check "it plays" until_true 10 playing
sleep 3
echo 0 >"$port/authorized"
check "it is told that the card is away" until_true 5 grep "lost 'hw:CARD=Audio'" /out/tactusd.log
equal "and over OSC" "$(tactus ctl audio | awk '{ print $2 }')" waiting
# A lower number becomes free meanwhile.
echo snd_virmidi.0 >/sys/bus/platform/drivers/snd_virmidi/unbind
sleep 2
echo 1 >"$port/authorized"
check "the card is taken back" until_true 10 playing
check "under another number" test "$(number)" != "$first"
sleep 3
second=$(number)
echo 0 >"$port/authorized"
sleep 1
echo snd_virmidi.0 >/sys/bus/platform/drivers/snd_virmidi/bind
echo 1 >"$port/authorized"
check "and once more under another" until_true 10 sh -c "grep -q RUNNING /proc/asound/Audio/pcm0p/sub0/status"
sleep 3
stop_daemon
wait $probe
cat /out/probe /out/tactusd.log
echo "# numbers: $first $second $(number)"
equal "no pulse is lost or comes twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "pulses stay on one line" "$(value /out/probe 'arrival residual_us' spread)" 0 200 us
equal "it ended well" "$daemon_status" 0
