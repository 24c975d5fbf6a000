# Memory while playing, and that the threads that must not wait take no page fault in play.
# checks: 5
# programs: tactusd
. ./lib.sh
ulimit -l unlimited
daemon 4/4 240 --device hw:Dummy,0 --midi-connect 14:0

sleep 5
field() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$daemon/$2"; }
# Thread, scheduling policy (1: SCHED_FIFO), minor and major faults.
faults() {
  for task in "/proc/$daemon/task"/*; do
    awk '{ sub(/^.*\) /, ""); print $39, $8 + $10 }' "$task/stat" | tr '\n' ' '
    cat "$task/comm"
  done
}
faults >/out/faults-before
resident=$(field VmRSS status)
sleep 60
oscsend localhost 9700 /tactus/tempo f 180
oscsend localhost 9700 /tactus/mute i 1
oscsend localhost 9700 /tactus/mute i 0
sleep 60
faults >/out/faults-after
cat /out/faults-after "/proc/$daemon/status" "/proc/$daemon/smaps_rollup"
within "resident" "$(field VmRSS status)" 1 16384 KiB
echo "# locked: $(field VmLck status) KiB; proportional: $(field Pss smaps_rollup) KiB"
within "growth in two minutes of play" "$(($(field VmRSS status) - resident))" -1000 64 KiB
check "audio and MIDI threads run under SCHED_FIFO" test "$(grep -c '^1 ' /out/faults-after)" -ge 2
equal "their page faults do not rise" "$(grep '^1 ' /out/faults-after)" "$(grep '^1 ' /out/faults-before)"
stop_daemon
equal "it ended well" "$daemon_status" 0
