# What a person gets of `tactus midi measure` and of `tactus midi learn`, on a running tactusd.
# checks: 13
# programs: tactusd tactus
. ./lib.sh
export HOME=/tmp/home
daemon 4/4 137.5 --device hw:Dummy,0 --midi-port Odd,offset=3
until_true 10 tactus ctl ping
sleep 1
tactus midi measure --for 8 --tempo 137.5 --csv /out/clock.csv --svg /out/clock.svg >/out/measured 2>/out/measured-errors
equal "it ends with 0" $? 0
cat /out/measured /out/measured-errors
check "lost and doubled pulses are counted" grep -Eq '^pulses +4[0-9][0-9], lost 0, doubled 0$' /out/measured
clicks() { sed -n 's/^to click .* p50 \([-0-9.]*\), .*/\1/p' "$1"; }
within "the pulses are on the click" "$(clicks /out/measured)" -20 50 us
within "the table has a pulse with its click for every beat" "$(grep -Ec ',[-0-9.]+$' /out/clock.csv)" 17 20
equal "and the offset is that of the text" \
  "$(awk -F, '$4 != "" && NR > 1 { print $4 }' /out/clock.csv | sort -n | awk '{ v[NR] = $1 } END { printf "%.1f", v[int((NR + 1) / 2)] }')" \
  "$(clicks /out/measured)"
check "the picture has a point for each click" grep -q '<circle' /out/clock.svg
tactus midi measure Tactus:Odd --for 6 >/out/odd 2>&1
within "a port that is set 3 ms late is 3 ms after the click" "$(clicks /out/odd)" 2980 3050 us
tactus midi measure --for 4 --host 127.0.0.1:9999 >/out/alone 2>/out/alone-errors
equal "without an answer it measures all the same" $? 0
check "and says why there are no clicks" grep -q 'no offset against the clicks: nothing listens' /out/alone-errors

# Learning: what is played next is bound, and is bound after a restart.
tactus midi learn tempo 60..180 >/out/learn 2>&1 &
learner=$!
until_true 10 grep -q 'now play' /out/learn
# A controller from the virtual MIDI device: 7 on channel 2.
aconnect 24:0 "Tactus Input:Control"
printf '\261\007\144' >/dev/snd/midiC2D0
wait $learner
equal "it is told what was bound" "$(tail -1 /out/learn)" "'cc 7 channel 2' is now 'tempo 60..180'"
stop_daemon
daemon 4/4 137.5 --device hw:Dummy,0
until_true 10 tactus ctl ping
aconnect 24:0 "Tactus Input:Control"
printf '\261\007\177' >/dev/snd/midiC2D0
sleep 1
check "after a restart it still does it" sh -c 'tactus ctl tempo | grep -q 180'
stop_daemon
equal "it ended well" "$daemon_status" 0

# A test port that loses and doubles pulses on purpose.
daemon 4/4 240 --device none --inject drop=2%,double=2%
until_true 10 tactus ctl ping
tactus midi measure --for 5 --no-clicks >/out/faulty
cat /out/faulty
check "pulses that are lost and doubled on purpose are found" grep -Eq 'lost [1-9][0-9]*, doubled [1-9]' /out/faulty
stop_daemon
