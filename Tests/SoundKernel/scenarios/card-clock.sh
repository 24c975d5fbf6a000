# A card whose clock runs 300 ppm fast, and one that runs as slow, against the system's: the pulses
# follow the audio that is heard. Against the system 20 s of that are 6 ms. The loopback card tells its
# position in ticks of 4 ms: against periods of 5 ms they beat slowly enough for 0.2 ms of that to reach
# the clock, against 256 frames they do not.
# checks: 10
# programs: tactusd
. ./lib.sh

# play NAME SHIFT PPM: SHIFT is the length of the loopback card's second, in parts of 100000.
play() {
  amixer -q -c Loopback cset "iface=PCM,name='PCM Rate Shift 100000',device=1,subdevice=0" "$2" || exit 1
  probe --until-stop --seconds 60 --bpm 120
  capture --seconds 24
  daemon 4/4 120 --device hw:Loopback,0,0 --period 256 --midi-connect clockprobe
  sleep 22
  stop_daemon
  wait $probe $capture
  echo "== $1"
  cat /out/probe /out/capture
  capturecmp /out/capture.wav /out/capture.wav --onsets /tmp/onsets --bpm 120 >/tmp/compared
  against_audio /out/events >"/out/alignment-$1"
  cat "/out/alignment-$1"
  equal "a $1 card: no pulse is lost, none comes twice" \
    "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
  within "a $1 card: the clock's tempo against the system" \
    "$(value /out/probe 'arrival tempo' error_ppm)" $(($3 - 15)) $(($3 + 15)) ppm
  within "a $1 card: no pulse is early against its click" \
    "$(value "/out/alignment-$1" against_audio low_us)" -300 300 us
  within "a $1 card: no pulse is late against its click" \
    "$(value "/out/alignment-$1" against_audio high_us)" -300 300 us
  within "a $1 card: nothing adds up" \
    "$(value "/out/alignment-$1" against_audio wander_us)" -100 100 us
}
play fast 99970 300
play slow 100030 -300
