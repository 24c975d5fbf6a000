# The test machine itself: its cards, its sequencer, and the tools by which the other scenarios judge.
# checks: 12
# programs:
. ./lib.sh

check "the loopback, dummy and virtual MIDI cards are there" \
  grep -c -e Loopback -e Dummy -e VirMIDI /proc/asound/cards

# Notes through the sequencer, read by ALSA's own tool. A .mid of one quarter note, C4, at 120 bpm.
printf 'MThd\0\0\0\006\0\0\0\001\0\140MTrk\0\0\0\014\0\220\074\100\140\200\074\0\0\377\057\0' >/tmp/note.mid
aseqdump -p 14:0 >/tmp/dump &
dump=$!
until_true 5 sh -c 'aconnect -l | grep -q "Connected From.*:0\|Connecting To"'
aplaymidi -p 14:0 /tmp/note.mid
kill $dump
check "aseqdump hears the note that aplaymidi plays" grep -q 'Note on *0, note 60, velocity 64' /tmp/dump

# Real bytes into a raw MIDI device come out as events.
probe --from 24:0 --seconds 1
printf '\372\370\370\374' >/dev/snd/midiC2D0
wait
equal "raw MIDI bytes arrive as start, clock, clock, stop" \
  "$(cut -d' ' -f3 /out/events | tr '\n' ' ')" "start clock clock stop "

# Noise through the loopback card must come back bit for bit: 0.1 s of silence, 1.9 s of noise, and 1 s
# of silence, because snd-aloop loses a block when the player drains.
{
  printf 'RIFF\0\0\0\0WAVEfmt \020\0\0\0\001\0\002\0\200\273\0\0\0\356\002\0\004\0\020\0data\0\312\010\0'
  head -c 19200 /dev/zero
  head -c 364800 /dev/urandom
  head -c 192000 /dev/zero
} >/tmp/noise.wav
check "the noise file is whole" test "$(wc -c </tmp/noise.wav)" = 576044
arecord -q -D hw:Loopback,1,0 -f S16_LE -c 2 -r 48000 --period-size=480 --buffer-size=1920 -d 4 /tmp/captured.wav &
recorder=$!
sleep 0.3
aplay -q -D hw:Loopback,0,0 --period-size=480 --buffer-size=1920 /tmp/noise.wav
wait $recorder
check "what snd-aloop captures equals what was played" capturecmp /tmp/captured.wav /tmp/noise.wav --frames 91200
cp /tmp/noise.wav /tmp/changed.wav
printf '\001\001' | dd of=/tmp/changed.wav bs=1 seek=200044 conv=notrunc 2>/dev/null
capturecmp /tmp/captured.wav /tmp/changed.wav --frames 91200 >/tmp/compared
equal "capturecmp finds one changed frame" "$(sed 's/.*\(different=[0-9]*\).*/\1/' /tmp/compared)" different=1

# clockprobe against a sender with planted faults.
pulsegen 125 960 --lose 300 --double 600 &
probe --from pulsegen --until-stop --bpm 125 --seconds 60
wait
equal "clockprobe counts the pulse that was lost" "$(value /out/probe 'clock ' lost)" 1
equal "clockprobe counts the pulse that came twice" "$(value /out/probe 'clock ' doubled)" 1
within "clockprobe measures the tempo" "$(value /out/probe 'arrival tempo' error_ppm)" -2 2 ppm
pulsegen 125 960 --late 480 250 &
probe --from pulsegen --until-stop --bpm 125 --seconds 60
wait
within "clockprobe finds a pulse that is 250 us late" \
  "$(value /out/probe 'arrival residual_us' max)" 240 260 us
within "the kernel's own stamps agree" "$(value /out/probe 'kernel residual_us' max)" 240 260 us
within "a steady sender shows no jitter" "$(value /out/probe 'arrival residual_us' p99)" -10 10 us
