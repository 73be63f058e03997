#!/bin/sh
# What fills a file system. Changes nothing. Usage: sh disk-report.sh [FOLDER [COUNT]]
set -u
folder=${1:-.}
count=${2:-10}
[ -d "$folder" ] || { echo "disk-report: $folder is not a folder" >&2; exit 2; }
case $count in '' | *[!0-9]*) echo "disk-report: COUNT is a number" >&2; exit 2 ;; esac
# Sizes in KiB from standard input, made readable.
readable() {
  awk '{ size = $1; $1 = ""; sub(/^ /, ""); unit = "K"
    if (size >= 1048576) { size /= 1048576; unit = "G" } else if (size >= 1024) { size /= 1024; unit = "M" }
    printf "%9.1f%s  %s\n", size, unit, $0 }'
}
echo "Space:"
df -Pk "$folder" | awk 'NR == 2 { printf "  %s of %s KiB used (%s), %s KiB free, on %s\n", $3, $2, $5, $4, $6 }'
echo "Inodes:"
df -Pi "$folder" 2>/dev/null | awk 'NR == 2 { printf "  %s used\n", $5 }'
echo "Largest folders (this file system only):"
du -xk "$folder" 2>/dev/null | sort -rn | head -n "$count" | readable
echo "Largest files:"
find "$folder" -xdev -type f -size +1024k -exec du -k {} + 2>/dev/null | sort -rn | head -n "$count" | readable
echo "Deleted, but still open:"
if command -v lsof >/dev/null 2>&1; then
  lsof -nP +L1 2>/dev/null | awk 'NR > 1 && $7 > 1048576 { printf "  %s (process %s) holds %d MiB\n", $1, $2, $7 / 1048576 }' | sort -u | head -n "$count"
elif [ -d /proc/self/fd ]; then
  find /proc/[0-9]*/fd -lname '*(deleted)' -printf '%p %s %l\n' 2>/dev/null |
    awk '$NF == "(deleted)" && $3 ~ /^\// && $3 !~ /^\/(memfd|dev|proc)/ { split($1, p, "/"); print "  process " p[3] ": " $3 }' | sort -u | head -n "$count"
else
  echo "  not known without lsof"
fi
