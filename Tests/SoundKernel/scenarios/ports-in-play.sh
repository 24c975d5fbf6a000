# Presets that add and take away seven clock ports, ten times each in ten seconds of play, beside a program
# that takes all the time it gets: the port that stays sends every pulse on its line.
# checks: 5
# programs: tactusd tactus
. ./lib.sh
export HOME=/tmp/home
mkdir -p $HOME/.config/tactus/presets
port() { printf '{"name": "%s", "connect": [%s]}' "$1" "$2"; }
clock=$(port Clock '"clockprobe"')
echo "{\"midi\": [$clock]}" >$HOME/.config/tactus/presets/one.json
many=$clock
for n in 2 3 4 5 6 7 8; do many="$many, $(port P$n '"Midi Through"')"; done
echo "{\"midi\": [$many]}" >$HOME/.config/tactus/presets/eight.json

daemon 4/4 300 --device hw:Dummy,0 --period 240 --midi-connect clockprobe
until_true 10 tactus ctl ping
probe --until-stop --seconds 60 --bpm 300
sleep 2
(while :; do :; done) &
hog=$!
n=0
while [ $n -lt 10 ]; do
  oscsend localhost 9700 /tactus/preset s eight
  sleep 0.5
  [ $n = 5 ] && aconnect -l >/out/with-eight
  oscsend localhost 9700 /tactus/preset s one
  sleep 0.5
  n=$((n + 1))
done
kill $hog
aconnect -l >/out/with-one
sleep 1
stop_daemon
wait $probe
cat /out/probe
equal "the seven ports came" "$(grep -c "'P[2-8] *'" /out/with-eight)" 7
equal "and went" "$(grep -c "'P[2-8] *'" /out/with-one)" 0
equal "no pulse of the port that stays is lost or comes twice" \
  "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "the latest pulse is late by" "$(value /out/probe 'kernel residual_us' max)" 0 100 us
equal "one start at the beginning, one stop at the end" \
  "$(awk '$3 ~ /^(start|stop|continue|songpos)$/ { printf "%s ", $3 }' /out/events)" "start stop "
