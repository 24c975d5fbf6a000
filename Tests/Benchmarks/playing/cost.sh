# Sourced by the scenarios beside it.

# nanoseconds PROCESS: processor time of all its threads, from the scheduler's own account.
nanoseconds() { cat /proc/"$1"/task/*/schedstat | awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }

# cost NAME PROCESS: one minute of it.
cost() {
  before=$(nanoseconds "$2")
  sleep 60
  after=$(nanoseconds "$2")
  awk -v name="$1" -v before="$before" -v after="$after" '
    BEGIN { printf "%s cpu_ms_per_minute=%.1f", name, (after - before) / 1e6 }
    /^(VmRSS|VmLck|Pss|RssAnon):/ { sub(":", "", $1); printf " %s_KiB=%d", $1, $2 }
    END { print "" }' /proc/"$2"/status /proc/"$2"/smaps_rollup
}
