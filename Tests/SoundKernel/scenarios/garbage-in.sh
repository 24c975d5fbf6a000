# What is wrong on the MIDI inputs has no effect on the clock: bytes without a status, broken messages, active
# sensing, a system exclusive without an end, and ten thousand F8 a second, on Control and on Sync.
# checks: 8
# programs: tactusd tactus
. ./lib.sh
timeout 5 tactusd 4/4 120 --midi-port A --midi-port A >/out/twice 2>&1
equal "a port named twice is refused" "$? $(grep -c "'A' is named twice" /out/twice)" "2 1"
timeout 5 tactusd 4/4 120 --midi-port A,offset=501 >/out/offset 2>&1
equal "an offset out of range is refused with the range" "$? $(grep -c -e "'501'.*-300 to 500" /out/offset)" "2 1"

daemon 4/4 120 --follow --device hw:Dummy,0 --period 240 --midi-connect clockprobe --midi-port B,connect=Nobody
probe --until-stop --seconds 60 --bpm 120
until_true 10 tactus ctl ping
aconnect 24:0 "Tactus Input:Control"
aconnect 24:0 "Tactus Input:Sync"
sleep 2
# 4000 data bytes without a status; a Note On cut off by another; undefined status bytes; active sensing;
# 2000 bytes of system exclusive and no F7.
{
  head -c 4000 /dev/zero | tr '\0' '\100'
  printf '\220\100\220\100\360\1\2\220\100\364\365\371\375\361\361\363'
  n=0
  while [ $n -lt 300 ]; do
    printf '\376'
    n=$((n + 1))
  done
  printf '\360'
  head -c 2000 /dev/zero
} >/dev/snd/midiC2D0
sleep 1
# 10 kHz are 25000 quarters a minute.
pulsegen 25000 1000000 &
storm=$!
until_true 10 aconnect pulsegen:0 "Tactus Input:Sync"
sleep 1
aconnect pulsegen:0 "Tactus Input:Control"
sleep 1.2
kill -KILL $storm
sleep 2
equal "the tempo is what it was" "$(tactus ctl tempo)" "tempo 120 1/4"
stop_daemon
wait $probe
cat /out/probe
equal "no pulse is lost or comes twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "the latest pulse is late by" "$(value /out/probe 'kernel residual_us' max)" 0 100 us
equal "nobody else started or stopped it" \
  "$(awk '$3 ~ /^(start|stop|continue)$/ { printf "%s ", $3 }' /out/events | sed 's/^start //')" "stop "
check "the storm is said with its port" grep -Eq "MIDI port '(Sync|Control)' gets [0-9]+ messages a second" /out/tactusd.log
equal "a pattern that matches nothing is said once" "$(grep -c "waits for 'Nobody'" /out/tactusd.log)" 1
