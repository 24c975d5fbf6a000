# The service as `tactus service install` makes it, under systemd as Debian ships it: it starts without a card and plays
# what was set last when the card comes; it is back after kill -9 and after its audio thread was held. Times are those of
# an emulated processor: a start takes some ten times as long as on a real one.
# checks: 17
# programs: tactusd tactus
# host: systemd
# append: systemd.unit=multi-user.target systemd.mask=postgresql.service systemd.mask=systemd-udevd.service systemd.mask=systemd-random-seed.service
# timeout: 600
# memory: 1536
. ./lib.sh
# What busybox has and this machine may not.
usleep() { sleep 0.05; }
export PATH=/payload/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root
install -m 755 /payload/bin/tactus /payload/bin/tactusd /usr/local/bin/
driver=/sys/bus/platform/drivers/snd_dummy
# There is no udev here to give the devices to their group.
allow() { chgrp -R audio /dev/snd && chmod 660 /dev/snd/*; }
playing() { grep -q RUNNING /proc/asound/card1/pcm0p/sub0/status; }
rolling() { tactus ctl transport | grep -q rolling; }
process() { systemctl show -p MainPID --value tactusd; }
# Another process than before, and it plays: $1 is the one before.
another() { [ "$(process)" != 0 ] && [ "$(process)" != "$1" ] && playing && rolling; }
monotonic_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }

allow
# Without a card.
echo snd_dummy.0 >$driver/unbind
check "installed it starts, though there is no card" tactus service install --program /usr/local/bin/tactusd -- \
  --autostart --device hw:CARD=Dummy,DEV=0
check "it runs and says what it waits for" until_true 20 sh -c 'journalctl -u tactusd | grep -i "waiting for .*Dummy"'
equal "it says so over OSC" "$(tactus ctl audio | awk '{ print $2 }')" waiting
tactus ctl tempo 97.125 >/dev/null
tactus ctl meter 7/8 >/dev/null
tactus ctl sound/strong bell >/dev/null
check "what was set is kept where systemd says" until_true 10 grep -q 97.125 /var/lib/tactus/state.json
check "not as root" sh -c 'test "$(ps -o uid= -p "$(systemctl show -p MainPID --value tactusd)")" -gt 60000'

# As after a boot.
systemctl stop tactusd
systemctl start tactusd
sleep 1
equal "started again it still waits" "$(tactus ctl audio | awk '{ print $2 }')" waiting
echo snd_dummy.0 >$driver/bind
sleep 0.1
allow
check "the card that comes is taken" until_true 10 playing
check "and what was set last plays" rolling
equal "at its tempo and meter" "$(tactus ctl tempo | awk '/^tempo / { print $2 }') $(tactus ctl meter | awk '{ print $2 }')" \
  "97.125 7/8"

for task in /proc/$(process)/task/*; do
  [ "$(cat "$task/comm")" = tactus-audio ] && policy=$(awk '{ sub(/^.*\) /, ""); print $39 }' "$task/stat")
done
equal "the audio thread has real-time priority without any capability" \
  "$policy $(awk '/CapEff/ { print $2 }' "/proc/$(process)/status")" "1 0000000000000000"

old=$(process)
begin=$(monotonic_ms)
kill -KILL "$old"
check "killed in play it is back" until_true 20 another "$old"
within "after kill -9 it plays again within" "$(($(monotonic_ms) - begin))" 0 2000 ms
equal "at the tempo that was set" "$(tactus ctl tempo | awk '/^tempo / { print $2 }')" 97.125

old=$(process)
threadstop "$old" tactus-audio >/out/held 2>&1 &
until_true 20 test ! -e "/proc/$old"
end=$(monotonic_ms)
check "with its audio thread held it is ended and is back" until_true 20 another "$old"
within "from its end it plays again within" "$(($(monotonic_ms) - end))" 0 2000 ms
# The unit's 1 s from the last feeding, which may come a third of that after the stop, by systemd's own stamps: `[   41.123456] ...`
journalctl -u tactusd -o short-monotonic | sed -n 's/^\[ *\([0-9.]*\)\].*[Ww]atchdog timeout.*/\1/p' >/tmp/timeout
check "it was the watchdog" test -s /tmp/timeout
within "which came after the thread's stop" \
  "$(awk 'FILENAME == "/out/held" { held = $1 / 1e6; next } { printf "%d", $1 * 1000 - held }' /out/held /tmp/timeout)" 0 1500 ms
journalctl -u tactusd >/out/journal
systemctl status tactusd >/out/status 2>&1
