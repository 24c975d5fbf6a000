# PipeWire and WirePlumber as Debian ships them: the server's period (its quantum) decides how long ours must
# be, it may change in play, and a stream may be moved to another sink without an error.
# checks: 17
# programs: tactusd tactus pipewire wireplumber wpctl pw-cli pw-metadata dbus-daemon /usr/lib/x86_64-linux-gnu/pipewire-0.3 /usr/lib/x86_64-linux-gnu/spa-0.2/support /usr/lib/x86_64-linux-gnu/spa-0.2/alsa /usr/lib/x86_64-linux-gnu/spa-0.2/audioconvert /usr/lib/x86_64-linux-gnu/spa-0.2/audiomixer /usr/lib/x86_64-linux-gnu/spa-0.2/control /usr/lib/x86_64-linux-gnu/wireplumber-0.4 /usr/share/pipewire /usr/share/wireplumber /usr/share/dbus-1 /usr/lib/x86_64-linux-gnu/alsa-lib/libasound_module_pcm_pipewire.so
# timeout: 1500
# memory: 768
. ./lib.sh
mkdir -p /run/user/0 /etc/pipewire/pipewire.conf.d
# WirePlumber ends where these are missing, though nobody logs in here.
for kind in seats sessions users machines; do mkdir -p /run/systemd/$kind; done
export XDG_RUNTIME_DIR=/run/user/0
echo 'pcm.pipewire { type pipewire }' >/tmp/.asoundrc
sink() {
  cat <<EOT
  { factory = adapter args = {
    factory.name = api.alsa.pcm.sink node.name = $1 media.class = "Audio/Sink" api.alsa.path = "hw:$1,0"
    audio.format = $2 audio.rate = 48000 audio.channels = 2 priority.session = $3 node.pause-on-idle = false
  } }
EOT
}
# There is no udev to find the cards.
{
  echo 'context.objects = ['
  sink Loopback S32LE 2000
  sink Dummy S16LE 1000
  echo ']'
} >/etc/pipewire/pipewire.conf.d/sinks.conf
DBUS_SESSION_BUS_ADDRESS=$(dbus-daemon --session --fork --print-address)
export DBUS_SESSION_BUS_ADDRESS
pipewire >/out/pipewire 2>&1 &
until_true 10 pw-cli info 0
wireplumber >/out/wireplumber 2>&1 &
until_true 10 sh -c 'wpctl status | grep "\* .*Loopback"'
node() { wpctl status | sed -n "s/.* \([0-9]*\)\. $1 .*/\1/p" | head -1; }
# PipeWire's delay leaves out what its own conversion takes: milliseconds between clicks and pulses are its own.
quantum() { pw-metadata -n settings 0 clock.force-quantum "$1" >/dev/null; }

for frames in 256 1024 2048; do
  quantum $frames
  : >/out/tactusd.log
  probe --until-stop --seconds 60 --bpm 120
  capture --seconds 9 --format S32_LE
  daemon 4/4 120 --device pipewire --rate 48000 --midi-connect clockprobe
  sleep 8
  tactus ctl stats >/tmp/stats
  stop_daemon
  wait $probe $capture
  cat /out/tactusd.log
  aligned 5
  check "quantum $frames: it plays" grep "'pipewire' plays at 48000" /out/tactusd.log
  within "quantum $frames: clicks are heard" "$(value /tmp/aligned aligned n)" 5 8
  equal "quantum $frames: at even distances" "$(value /tmp/aligned aligned uneven)" 0
  within "quantum $frames: from their pulses, earliest" "$(value /tmp/aligned aligned low_us)" -5000 5000 us
done
check "a period that ran empty is told, with the one that is taken" grep 'ran empty again and again' /out/tactusd.log

# In play: a longer quantum, then a sink that goes and one that comes back.
quantum 256
: >/out/tactusd.log
probe --until-stop --seconds 90 --bpm 120
capture --seconds 24 --format S32_LE
daemon 4/4 120 --device pipewire --rate 48000 --midi-connect clockprobe
sleep 5
quantum 1024
sleep 5
wpctl set-default "$(node Dummy)"
sleep 3
wpctl set-default "$(node Loopback)"
sleep 8
tactus ctl stats >/tmp/stats
stop_daemon
wait $probe $capture
cat /out/tactusd.log /tmp/stats /out/probe
aligned 19
within "after it all clicks are heard" "$(value /tmp/aligned aligned n)" 3 10
within "from their pulses, earliest" "$(value /tmp/aligned aligned low_us)" -5000 5000 us
# 20.833 ms; a grid that followed the sinks would be off by milliseconds.
equal "no interval of the clock is bent" "$(irregular /out/events 0 999999999999999 20833333 600000)" 0
within "what the moves took is counted" "$(sed -n 's/^stats\/missing //p' /tmp/stats)" 100 200000
