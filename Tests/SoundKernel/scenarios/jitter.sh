# 10^4 pulses at 120 bpm with audio running on snd-dummy: how far from a straight line do they come?
# The default period is 5 ms to the nanosecond. With 256 frames snd-dummy rounds its timer up to
# 5333334 ns, which slides against its own count of whole frames: a saw tooth of one frame (20.8 us)
# in 167 s, which is the card's and not the clock's.
# checks: 4
# programs: tactusd
# timeout: 600
. ./lib.sh
probe --count 10024 --skip 24 --bpm 120 --seconds 300
daemon 4/4 120 --device hw:Dummy,0 --midi-connect clockprobe
wait $probe
stop_daemon
cat /out/probe
equal "all 10000 pulses" "$(value /out/probe 'clock ' n)" 10000
equal "none lost, none twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "residual to the fitted line, p0.1 to p99.9" "$(value /out/probe 'arrival residual_us' spread)" 0 10 us
within "tempo error" "$(value /out/probe 'arrival tempo' error_ppm)" -5 5 ppm
