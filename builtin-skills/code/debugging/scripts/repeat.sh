#!/bin/sh
# Runs a command many times, counts failures and keeps the output of the first one.
# Usage: sh repeat.sh COUNT COMMAND [ARGUMENT...]; exit code 1 if any run failed.
set -u
[ $# -ge 2 ] || { echo "usage: repeat.sh COUNT COMMAND [ARGUMENT...]" >&2; exit 2; }
count=$1; shift
case $count in '' | *[!0-9]*) echo "repeat: COUNT is a number" >&2; exit 2 ;; esac
output=$(mktemp) || exit 2
first=$(mktemp) || exit 2
trap 'rm -f "$output"' EXIT
failed=0 run=1
while [ "$run" -le "$count" ]; do
  "$@" >"$output" 2>&1 || {
    status=$?
    [ "$failed" -eq 0 ] && { cp "$output" "$first"; firstrun=$run; firststatus=$status; }
    failed=$((failed + 1))
  }
  run=$((run + 1))
done
echo "$failed of $count runs failed"
if [ "$failed" -eq 0 ]; then rm -f "$first"; exit 0; fi
echo "first failure: run $firstrun, exit code $firststatus, output in $first"
tail -n 20 "$first"
exit 1
