# A bad network: 64 subscribers at 300 beats a minute with subdivisions, a web client that never stops
# asking, packets as fast as the processor allows. For none of it a click or a pulse is late, and a Stop is
# obeyed meanwhile.
# checks: 26
# programs: tactusd tactus tactus-discovery
# timeout: 900
. ./lib.sh
seconds=20
daemon 4/4 300 --subdivision 4 --device hw:Dummy,0
until_true 20 grep -q 'OSCQuery on port' /out/tactusd.log
web=$(sed -n 's/.*OSCQuery on port \([0-9]*\).*/\1/p' /out/tactusd.log)

figure() { awk -v name="stats/$1" '$1 == name { print $2 }' /out/stats; }
resident() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$daemon/status"; }
idle() { awk '/^cpu / { print $5 }' /proc/stat; }
# phase NAME OPTIONS...: a storm, its pulses, and what the audio thread missed. Saturated, the processor
# has no time to spare: what idle time there was is shown as a share.
phase() {
  phase=$1
  shift
  [ "$(tactus ctl transport 2>/dev/null | grep -c rolling)" = 1 ] || tactus ctl start >/dev/null
  sleep 1
  probe --from Tactus --seconds $seconds --skip 24 --bpm 300
  idle=$(idle)
  oscstorm "$@" --seconds $seconds >"/out/storm-$phase"
  idle=$(($(idle) - idle))
  wait $probe
  cp /out/probe "/out/probe-$phase"
  sleep 1
  tactus ctl stats >/out/stats
  sed "s/^/# $phase: /" "/out/storm-$phase"
  echo "# $phase: idle $((idle * 100 / (seconds * 100))) %; $(grep '^kernel residual' /out/probe)"
  equal "$phase: no period of audio is missed" "$(figure xruns) $(figure missing)" "0 0"
  equal "$phase: no pulse is lost or doubled" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
}
storm() { value "/out/storm-$phase" "$1" "$2"; }
spread() { value "/out/probe-$1" 'kernel residual_us' spread; }

phase calm
resident=$(resident)
phase web --web "$web"
within "web: it was answered all the time" "$(storm web answers)" 100 1000000
equal "web: nobody was refused" "$(storm web refused)" 0
phase subscribers --subscribers 64
# 20 s of 5 beats a second, less what the first and the last second do not hold.
within "subscribers: all 64 hear every beat" "$(storm subscribers beats)" $((64 * 90)) $((64 * 105))
within "subscribers: and three clicks between two beats" "$(storm subscribers subs)" $((64 * 270)) $((64 * 315))
equal "subscribers: none hears of one too late" "$(storm subscribers late)" 0
phase flood --flood 0
within "flood: it takes what the processor has" "$idle" 0 $((seconds * 5))
phase stop --flood 0 --stop udp
equal "stop: it is obeyed" "$(tactus ctl transport | grep -c stopped)" 1
equal "stop: by the first packets" "$(($(storm stop tries) <= 10))" 1
phase stop-tcp --flood 0 --stop tcp
equal "stop over TCP: it is obeyed" "$(tactus ctl transport | grep -c stopped)" 1
for phase in web subscribers flood; do
  within "$phase: the pulses are as even as in the calm" "$(spread $phase)" 0 \
    "$(spread calm | awk '{ print $1 + 20 }')" us
done
within "memory: growth through it all" "$(($(resident) - resident))" -1000 1024 KiB
stop_daemon
equal "it ended well" "$daemon_status" 0
