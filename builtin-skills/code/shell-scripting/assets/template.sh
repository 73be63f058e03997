#!/bin/sh
# WHAT IT DOES, in one line.
set -eu

usage() {
  cat <<'USAGE'
Usage: template.sh [-n] [-v] FOLDER
  -n  show what would be done, change nothing
  -v  say more
USAGE
}

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }
# Runs its arguments, or shows them with -n.
run() {
  if [ "$dry" = yes ]; then say "would run: $*"; else "$@"; fi
}

dry=no verbose=no
while getopts nvh option; do
  case $option in
    n) dry=yes ;;
    v) verbose=yes ;;
    h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || { usage >&2; exit 2; }
folder=$1
[ -d "$folder" ] || fail "$folder is not a folder"

# Atomic on every system: only one process can make a folder.
lock=$folder/.template-lock
mkdir "$lock" 2>/dev/null || fail "another run is under way; if not, remove $lock"
work=$(mktemp -d)
trap 'rm -rf -- "${work:?}"; rmdir "$lock"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

count=0
for file in "$folder"/*; do
  [ -f "$file" ] || continue
  [ "$verbose" = yes ] && say "looking at $file"
  # THE WORK: write beside the target, then move.
  run cp -- "$file" "$work/"
  count=$((count + 1))
done
printf '%s files\n' "$count"
