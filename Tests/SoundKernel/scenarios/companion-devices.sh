# A motor (evdev force feedback), a lamp (the caps lock of a keyboard) and a program follow the announced
# instants.
# checks: 12
# programs: tactusd tactus
# modules: uinput evdev
. ./lib.sh
inputpad /tmp/devices >/out/devices 2>/out/devices-errors &
pad=$!
until_true 10 test -e /tmp/devices || cat /out/devices-errors
rumble=$(sed -n 's/^rumble //p' /tmp/devices)
led=$(sed -n 's/^led //p' /tmp/devices)
check "the keyboard's lamp is a LED of the kernel" test -e "/sys/class/leds/$led/brightness"
daemon 4/4 120 --device hw:Dummy,0 --no-midi
sleep 1
tactus companion --quiet --for 20 --length 40 --rumble "$rumble" --led "$led" \
  --command "cp /proc/self/stat /out/stat" --log /out/fired >/out/companion 2>&1
equal "the companion ended well" $? 0
usleep 300000
kill -TERM $pad
wait $pad
stop_daemon
cat /out/companion

awk '{ print $1 }' /out/fired >/out/due
beats=$(wc -l <"/out/due" | tr -d ' ')
within "beats" "$beats" 37 40
equal "an effect for each accent is uploaded once: 40 ms, both motors" \
  "$(sed -n 's/.* upload //p' /out/devices | tr '\n' ',')" "40 49152 16384,40 29491 9830,40 14745 4915,"
equal "and erased at the end" "$(grep -c ' erase' /out/devices)" 3
# against WORDS...: the lateness of these events, the nth against the nth beat.
against() {
  grep " $*" /out/devices | cut -d' ' -f1 |
    awk 'FILENAME == "/out/due" { due[++n] = $1; next } { printf "%d\n", $1 - due[FNR] }' /out/due -
}
against rumble 1 >/tmp/rumble
against led 1 1 >/tmp/led
# Without the first beat: a system call takes 9 ms then, in this machine.
against led 1 0 | tail -n +2 >/tmp/dark
{
  lateness rumble /tmp/rumble
  lateness led /tmp/led
  lateness dark /tmp/dark
} >/out/figures
sed 's/^/# /' /out/figures
# Policy, the 41st word of its status: SCHED_OTHER is 0; the companion itself has SCHED_FIFO.
equal "the program has ordinary priority" "$(cut -d' ' -f41 /out/stat)" 0
equal "the first of four is the strongest" "$(sed -n 's/.* rumble 1 //p' /out/devices |
  awk '{ at[NR] = $1; strong += $1 == 0; if ($1 == 0 && last && NR - last != 4) odd++; if ($1 == 0) last = NR }
    END { print odd + 0, (strong >= 9) }')" "0 1"
equal "every beat is felt and seen" "$(value /out/figures rumble n) $(value /out/figures led n)" "$beats $beats"
within "the motor is never early" "$(value /out/figures rumble low_us)" 0 4000 us
within "nor late" "$(value /out/figures rumble high_us)" 0 4000 us
within "the lamp is not late" "$(value /out/figures led high_us)" 0 4000 us
within "it is dark again 40 ms after the beat" "$(value /out/figures dark high_us)" 40000 44000 us
