# MIDI clock of tactusd at 999 bpm on eight ports, audio on snd-dummy, 10^4 pulses a port.
# checks: 3
# programs: tactusd
. ./lib.sh
eight_ports 999 10000
