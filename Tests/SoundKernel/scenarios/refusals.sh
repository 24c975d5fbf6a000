# Wrong input gets an error that names it, and a running metronome goes on unchanged.
# checks: 14
# programs: tactusd tactus
. ./lib.sh
probe --until-stop --seconds 60 --bpm 120
daemon 4/4 120 --device hw:Dummy,0 --midi-connect clockprobe
until_true 10 tactus ctl ping
sleep 2

# refused STATUS TEXT COMMAND...: ends with STATUS and says TEXT.
refused() {
  status=$1 text=$2
  shift 2
  timeout 5 "$@" >/tmp/answer 2>&1 </dev/null
  ended=$?
  if [ $ended = "$status" ] && grep -q -e "$text" /tmp/answer; then
    ok "$*: refused, names '$text'"
  else
    not_ok "$*" "ended with $ended, expected $status and '$text': $(head -3 /tmp/answer)"
  fi
}
refused 2 999 tactusd 4/4 0
refused 2 999 tactusd 4/4 -5
refused 2 abc tactusd 4/4 abc
refused 2 1000000000 tactusd 4/4 1000000000
refused 2 nan tactusd 4/4 nan
refused 2 'meter has 0 beats.*1 to 64' tactusd 0/4 120
refused 2 'unit 7.*allowed' tactusd 5/7 120
refused 2 'unit 0.*allowed' tactusd 4/0 120
refused 2 --no-such-option tactusd --no-such-option
refused 3 9700 tactusd 4/4 120 --device hw:Dummy,0
check "ctl refuses tempo 0" sh -c '! tactus ctl tempo 0'
# Malformed packets.
oscsend localhost 9700 /tactus/tempo s abc
oscsend localhost 9700 /tactus/tempo f inf
oscsend localhost 9700 /tactus/meter ii 4 0
sleep 3
check "it still answers" tactus ctl ping
stop_daemon
wait $probe
cat /out/probe
equal "no pulse is lost or comes twice" "$(value /out/probe 'clock ' lost) $(value /out/probe 'clock ' doubled)" "0 0"
within "pulses stay on one line" "$(value /out/probe 'arrival residual_us' spread)" 0 500 us
