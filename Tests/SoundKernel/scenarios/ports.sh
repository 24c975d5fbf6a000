# Eight clock ports at 300 and at 999 bpm while audio runs: every pulse straight, and all within 25 us.
# checks: 6
# programs: tactusd
. ./lib.sh
eight_ports 300 1200
eight_ports 999 4000
