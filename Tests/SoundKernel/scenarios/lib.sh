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

# capture OPTIONS...: starts pcmcapture on the far end of hw:Loopback,0,0 and waits until it runs. Its
# recording is /out/capture.wav, its clock /out/capture; $capture is its process.
capture() {
  rm -f /tmp/capturing
  pcmcapture hw:Loopback,1,0 --wav /out/capture.wav --ready /tmp/capturing "$@" >/out/capture 2>/out/capture-errors &
  capture=$!
  until_true 10 test -e /tmp/capturing || cat /out/capture-errors
}

# daemon ARGUMENTS...: starts tactusd; $daemon is its process, /out/tactusd.log what it says. It remembers nothing
# of the one before, unless STATE names a folder.
daemon() {
  tactusd "$@" --state-folder "${STATE:-off}" </dev/null >>/out/tactusd.log 2>&1 &
  daemon=$!
}

# stop_daemon: SIGTERM; sets $daemon_status.
stop_daemon() {
  kill -TERM "$daemon"
  wait "$daemon"
  daemon_status=$?
}

# Guest seconds since boot, the same clock as CLOCK_MONOTONIC here.
uptime_seconds() { cut -d' ' -f1 /proc/uptime; }

# irregular FILE FROM TO NS TOLERANCE: how many intervals between clock pulses of an events file that
# arrived between the two instants (ns) are further than TOLERANCE ns from NS.
irregular() {
  awk -v from="$2" -v to="$3" -v ns="$4" -v tolerance="$5" '
    $3 == "clock" && $1 >= from && $1 <= to {
      if (last && ($1 - last - ns > tolerance || ns - $1 + last > tolerance)) bad++
      last = $1
    }
    END { print bad + 0 }' "$1"
}

# stamp NAME OPTIONS...: starts oscstamp and waits until it listens; it writes to /out/NAME. $stamp is its
# process. BEFORE, where set, is put before the command (another network namespace).
stamp() {
  stamp_name=$1
  shift
  rm -f "/tmp/$stamp_name-ready"
  $BEFORE oscstamp --ready "/tmp/$stamp_name-ready" "$@" >"/out/$stamp_name" 2>"/out/$stamp_name-errors" &
  stamp=$!
  until_true 10 test -e "/tmp/$stamp_name-ready" || cat "/out/$stamp_name-errors"
}

# lateness NAME FILE: figures over a file of lateness in ns, one a line, as a line that begins with NAME:
# how many, how many within 4 ms, lowest, middle, p99.9 of the absolute value, highest (us), and how far the
# middle of the last quarter lies from that of the first.
lateness() {
  count=$(wc -l <"$2")
  sort -n "$2" >/tmp/lateness
  awk '{ print $1 < 0 ? -$1 : $1 }' "$2" | sort -n >/tmp/lateness-absolute
  quarter=$(((count + 3) / 4))
  head -n $quarter "$2" | sort -n >/tmp/lateness-first
  tail -n $quarter "$2" | sort -n >/tmp/lateness-last
  awk -v name="$1" -v n="$count" -v quarter=$quarter '
    function at(share) { i = int(n * share + 0.9999); return i < 1 ? 1 : i }
    FILENAME == "/tmp/lateness" { if (FNR == 1) low = $1; if (FNR == at(0.5)) middle = $1; high = $1 }
    FILENAME == "/tmp/lateness-absolute" { if ($1 <= 4000000) inside++; if (FNR == at(0.999)) p = $1 }
    FILENAME == "/tmp/lateness-first" { if (FNR == int(quarter / 2 + 0.5)) first = $1 }
    FILENAME == "/tmp/lateness-last" { if (FNR == int(quarter / 2 + 0.5)) last = $1 }
    END {
      printf "%s n=%d inside=%d low_us=%.1f middle_us=%.1f p999_us=%.1f high_us=%.1f wander_us=%.1f share=%.3f\n",
        name, n, inside, low / 1000, middle / 1000, p / 1000, high / 1000, (last - first) / 1000, n ? 100 * inside / n : 0
    }' /tmp/lateness /tmp/lateness-absolute /tmp/lateness-first /tmp/lateness-last
}

# eight_ports BPM PULSES: tactusd sends its clock on eight ports while audio runs; three checks by the
# kernel's stamps. A port may scatter by 10 us around its line, and all eight get a pulse within 25 us.
eight_ports() {
  probe --ports 8 --priority 1 --count $(($2 + 24)) --skip 24 --bpm "$1" --seconds 300
  daemon 4/4 "$1" --device hw:Dummy,0 --rate 48000 --period 240 --midi-connect clockprobe:in \
    --midi-port P2,connect=clockprobe:in2 --midi-port P3,connect=clockprobe:in3 \
    --midi-port P4,connect=clockprobe:in4 --midi-port P5,connect=clockprobe:in5 \
    --midi-port P6,connect=clockprobe:in6 --midi-port P7,connect=clockprobe:in7 \
    --midi-port P8,connect=clockprobe:in8
  wait $probe
  stop_daemon
  cat /out/probe
  equal "$1 bpm: each of the eight has every pulse, none lost, none twice" \
    "$(grep -c "^port[1-8] clock n=$2 lost=0 doubled=0$" /out/probe)" 8
  within "$1 bpm: residual to the fitted line, p0.1 to p99.9, of the worst port" \
    "$(sed -n 's/^port[1-8] kernel residual_us .*spread=//p' /out/probe | sort -n | tail -1)" 0 10 us
  within "$1 bpm: from the first to the last port, p99.9" \
    "$(value /out/probe 'across kernel span_us' p99.9)" 0 25 us
}

# against_audio FILE: every click (capturecmp's onsets in /tmp/onsets, of `capture`) against pulse 24k of an
# events file, in us, with what changes from the first quarter of the clicks to the last.
against_audio() {
  awk -v zero="$(value /out/capture frame0_ns frame0_ns)" -v step="$(value /out/capture frame0_ns ns_per_frame)" \
    -v first="$(capturecmp /out/capture.wav --onset-time)" '
    FILENAME == "/tmp/onsets" { click[clicks++] = zero + step * (first + $1); next }
    $3 == "clock" && pulses++ % 24 == 0 && (pulses - 1) / 24 < clicks {
      error = ($1 - click[n + 0]) / 1000
      errors[n++] = error
      if (n == 1 || error < low) low = error
      if (n == 1 || error > high) high = error
    }
    END {
      quarter = int(n / 4)
      for (i = 0; i < quarter; i++) wander += (errors[n - 1 - i] - errors[i]) / quarter
      printf "against_audio n=%d low_us=%.1f high_us=%.1f wander_us=%.1f\n", n, low, high, wander
    }' /tmp/onsets "$1"
}

# aligned FROM: the clicks (one a beat, at 120) from FROM seconds of `capture` on against the nearest beat's pulse,
# and how many of their distances are off by more than two frames: a line in /tmp/aligned.
aligned() {
  capturecmp /out/capture.wav /out/capture.wav --onsets /tmp/onsets >/dev/null
  awk -v zero="$(value /out/capture frame0_ns frame0_ns)" -v step="$(value /out/capture frame0_ns ns_per_frame)" \
    -v first="$(capturecmp /out/capture.wav --onset-time)" -v from="$1" '
    FILENAME == "/tmp/onsets" {
      if ((first + $1) / 48000 >= from) click[clicks++] = zero + step * (first + $1)
      next
    }
    $3 == "clock" && pulses++ % 24 == 0 { beat[beats++] = $1 }
    END {
      for (i = 0; i < clicks; i++) {
        best = 1e12
        for (j = 0; j < beats; j++) {
          d = (click[i] - beat[j]) / 1000
          if (d * d < best * best) best = d
        }
        if (i == 0 || best < low) low = best
        if (i == 0 || best > high) high = best
        off = i > 0 ? click[i] - click[i - 1] - 5e8 : 0
        if (off > 2 * step || off < -2 * step) uneven++
      }
      printf "aligned n=%d low_us=%.1f high_us=%.1f uneven=%d\n", clicks, low, high, uneven
    }' /tmp/onsets /out/events >/tmp/aligned
  cat /tmp/aligned
}
