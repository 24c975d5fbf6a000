# A card that is pulled in play, and one that comes late, are recorded afterwards: sound is back in phase with the
# pulses that went on without it, and what was not heard meanwhile is counted.
# checks: 10
# programs: tactusd tactus
. ./lib.sh
driver=/sys/bus/platform/drivers/snd_aloop
missing() { tactus ctl stats | sed -n 's/^stats\/missing //p'; }

# recorded NAME: ten clicks of the card that has come.
recorded() {
  until_true 10 test -e /dev/snd/pcmC0D1c
  capture --seconds 6
  wait $capture
  tactus ctl stats >/tmp/stats
  stop_daemon
  wait $probe
  cat /out/probe /out/capture /tmp/stats
  aligned 0
  within "$1: clicks are heard" "$(value /tmp/aligned aligned n)" 9 13
  equal "$1: at even distances" "$(value /tmp/aligned aligned uneven)" 0
  within "$1: from their pulses, earliest" "$(value /tmp/aligned aligned low_us)" -50 50 us
  within "$1: from their pulses, latest" "$(value /tmp/aligned aligned high_us)" -50 50 us
}

probe --until-stop --seconds 60 --bpm 120
daemon 4/4 120 --device hw:Loopback,0 --rate 48000 --midi-connect clockprobe
until_true 10 grep -q RUNNING /proc/asound/card0/pcm0p/sub0/status
sleep 3
echo snd_aloop.0 >$driver/unbind &
sleep 3
# 3 s at 48 kHz are 144000 frames, known while it is away.
within "pulled: what is missed is counted at once" "$(missing)" 140000 150000 frames
echo snd_aloop.0 >$driver/bind
recorded pulled

echo snd_aloop.0 >$driver/unbind
probe --until-stop --seconds 60 --bpm 120
daemon 4/4 120 --device hw:Loopback,0 --rate 48000 --midi-connect clockprobe
sleep 3
within "late: what is missed is counted at once" "$(missing)" 135000 150000 frames
echo snd_aloop.0 >$driver/bind
recorded late
