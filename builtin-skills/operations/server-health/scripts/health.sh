#!/bin/sh
# One line for each check of this machine: ok, warn or bad. Changes nothing, needs no root.
# Usage: sh health.sh; exit code 1 if something is bad.
set -u
worst=0
say() {
  printf '%-5s %-10s %s\n' "$1" "$2" "$3"
  [ "$1" = bad ] && worst=1
  return 0
}
# judge NAME VALUE WARN BAD TEXT: a larger value is worse; all are whole numbers.
judge() {
  if [ "$2" -ge "$4" ]; then say bad "$1" "$5"; elif [ "$2" -ge "$3" ]; then say warn "$1" "$5"; else say ok "$1" "$5"; fi
}
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
load=$(uptime | sed 's/.*load average[s]*: *//; s/,[ ]/ /g; s/,/./g' | awk '{ print $2 }')
percent=$(awk -v l="$load" -v c="$cores" 'BEGIN { printf "%d", 100 * l / c }')
judge load "$percent" 100 300 "$load over 5 minutes on $cores cores"
if [ -r /proc/meminfo ]; then
  # Three whole numbers, split on purpose.
  # shellcheck disable=SC2046
  set -- $(awk '/^MemTotal/ { t = $2 } /^MemAvailable/ { a = $2 } END { printf "%d %d %d", 100 - 100 * a / t, a / 1024, t / 1024 }' /proc/meminfo)
  judge memory "$1" 85 95 "$1% in use, $2 of $3 MiB available"
fi
# File systems of disks; a full read-only image is as it should be.
df -Pk 2>/dev/null | awk 'NR > 1 && $1 ~ /^\// && $1 !~ /loop|\/snap/ && !seen[$1]++ { sub(/%/, "", $5); print $5, $6 }' |
while read -r used mount; do judge disk "$used" 85 95 "$used% of $mount"; done >"${TMPDIR:-/tmp}/health.$$"
cat "${TMPDIR:-/tmp}/health.$$"
grep -q '^bad' "${TMPDIR:-/tmp}/health.$$" && worst=1
rm -f "${TMPDIR:-/tmp}/health.$$"
if command -v systemctl >/dev/null 2>&1 && systemctl is-system-running >/dev/null 2>&1 || [ -d /run/systemd/system ]; then
  failed=$(systemctl --failed --no-legend --plain 2>/dev/null | awk '{ print $1 }' | tr '\n' ' ')
  if [ -n "$failed" ]; then say bad services "failed: $failed"; else say ok services "none failed"; fi
fi
zombies=$(ps -A -o stat= 2>/dev/null | grep -c '^Z')
judge zombies "${zombies:-0}" 5 50 "${zombies:-0} ended processes that are still listed"
waiting=$(ps -A -o stat= 2>/dev/null | grep -c '^D')
judge blocked "${waiting:-0}" 3 20 "${waiting:-0} processes wait for a disk"
if [ -r /proc/uptime ]; then
  hours=$(awk '{ printf "%d", $1 / 3600 }' /proc/uptime)
  if [ "$hours" -lt 24 ]; then say warn uptime "started $hours hours ago"; else say ok uptime "$((hours / 24)) days"; fi
fi
if [ -f /var/run/reboot-required ]; then say warn reboot "an update wants a restart"; fi
if command -v timedatectl >/dev/null 2>&1 && [ -d /run/systemd/system ]; then
  case $(timedatectl show -p NTPSynchronized --value 2>/dev/null) in
    yes) say ok clock "synchronised" ;;
    no) say warn clock "not synchronised" ;;
  esac
fi
exit "$worst"
