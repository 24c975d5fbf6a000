# What `default` means on most cards: dmix, alone, through plug and asym, and beside another player. The
# card dictates the period, from 256 to 1024 frames. Sound comes at the first try, whole and in phase.
# checks: 53
# programs: tactusd tactus
# timeout: 600
. ./lib.sh

for period in 256 512 600 800 1024; do
  for card in Loopback Dummy; do
    cat <<EOT
pcm.mix$period$card {
  type dmix
  ipc_key 7$period
  slave { pcm "hw:$card,0" rate 48000 format S16_LE period_size $period buffer_size $((8 * period)) }
}
EOT
  done
done >/tmp/.asoundrc
cat >>/tmp/.asoundrc <<'EOT'
pcm.both { type asym playback.pcm "dmix:Dummy" capture.pcm "dsnoop:Dummy" }
pcm.plugged { type plug slave.pcm both }
EOT

# whole NAME: nothing broke off and no music was lost since the daemon started.
whole() {
  tactus ctl stats >/tmp/stats
  equal "$1: plays without a break" \
    "$(sed -n 's/^stats\/\(xruns\|missing\|losses\) //p' /tmp/stats | tr '\n' ' ')" "0 0 0 "
}

# heard DEVICE [DIFFERENCE]: what reaches the card is what `tactus render` writes, as far as DIFFERENCE
# of full scale (plug cuts off what is below a step of 16 bits), and its pulses come with its clicks.
heard() {
  probe --until-stop --seconds 60 --bpm 120
  capture --format ${format:-S16_LE} --seconds 6
  daemon 4/4 120 --device "$1" --rate 48000 --midi-connect clockprobe
  sleep 5
  whole "$1"
  wait $capture
  stop_daemon
  wait $probe
  capturecmp /out/capture.wav /tmp/offline.wav --frames 192000 --bpm 120 --onsets /tmp/onsets >/tmp/compared
  echo "# $1: $(cat /tmp/compared)"
  equal "$1: four seconds are heard on the exact frames" \
    "$(sed 's/.*\(compared=[0-9]*\).*\(onsets.*\) largest.*/\1 \2/' /tmp/compared)" \
    "compared=192000 onsets=8 off-grid=0"
  within "$1: is heard as it is rendered, largest difference" \
    "$(sed 's/.*worst=\([^ ]*\).*/\1/' /tmp/compared)" 0 "${2:-0}"
  against_audio /out/events >/tmp/alignment
  within "$1: pulses against clicks, earliest" "$(value /tmp/alignment against_audio low_us)" -50 50 us
  within "$1: pulses against clicks, latest" "$(value /tmp/alignment against_audio high_us)" -50 50 us
}

tactus render 4/4 120 --duration 4s --rate 48000 --bits float --wav /tmp/offline.wav
for period in 256 512 600 800 1024; do heard mix${period}Loopback; done
heard dmix:Loopback
heard plug:dmix:Loopback 3.06e-5
heard default 3.06e-5
# Beside a player that has the card already: a stream joins a mixer somewhere within its period.
aplay -q -D plug:dmix:Loopback -f S16_LE -r 48000 -c 2 -d 60 /dev/zero &
player=$!
sleep 0.505
# The first stream has chosen the mixer's format.
format=S32_LE
heard dmix:Loopback
kill $player
wait $player

for device in mix256Dummy mix600Dummy mix1024Dummy dmix:CARD=Dummy plug:dmix:Dummy both plugged default:CARD=Dummy; do
  daemon 4/4 120 --device $device --rate 48000
  sleep 4
  whole $device
  stop_daemon
done
echo "# $(grep -c ' plays at ' /out/tactusd.log) streams played"
