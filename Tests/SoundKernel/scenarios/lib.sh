# Sourced by every scenario, in the guest. A scenario prints one line a check, `ok NAME` or
# `not ok NAME reason`, through the functions below; what else it prints is shown when a check fails.

ok() { echo "ok $1"; }

not_ok() {
  name=$1
  shift
  echo "not ok $name: $*"
}

# check NAME COMMAND...: the command must succeed.
check() {
  name=$1
  shift
  if answer=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "'$*' ended with $?: $answer"; fi
}

# equal NAME VALUE EXPECTED
equal() {
  if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "is '$2', expected '$3'"; fi
}

# within NAME VALUE LOW HIGH [UNIT]: LOW <= VALUE <= HIGH
within() {
  if awk -v v="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(v != "" && v + 0 >= l + 0 && v + 0 <= h + 0) }'; then
    ok "$1"
    echo "# $1: $2 ${5:-}"
  else
    not_ok "$1" "is '$2', allowed $3 to $4 ${5:-}"
  fi
}

# value FILE LINE KEY: KEY's value in the line of FILE that begins with LINE (clockprobe's figures).
value() {
  awk -v line="$2" -v key="$3" 'index($0, line) == 1 {
    for (i = 1; i <= NF; i++) if (index($i, key "=") == 1) print substr($i, length(key) + 2)
  }' "$1"
}

# until_true SECONDS COMMAND...: tries every 50 ms.
until_true() {
  tries=$(($1 * 20))
  shift
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    usleep 50000
  done
}

# probe OPTIONS...: starts clockprobe and waits until it listens. Its figures go to /out/probe, its
# events to /out/events; $probe is its process.
probe() {
  rm -f /tmp/listening
  clockprobe --events /out/events --ready /tmp/listening "$@" >/out/probe 2>/out/probe-errors &
  probe=$!
  until_true 30 test -e /tmp/listening || cat /out/probe-errors
}
