/**
 * The scripts, in the language of POSIX sh. Besides POSIX they take `stat`, `readlink` and `find -maxdepth`, which GNU, busybox
 * and BSD have. Arguments are `$1` and so on; all output is between marks.
 */

/** A script, in which a backslash stands before the braces of the shell. */
function sh(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw(parts, ...values).replaceAll('\\${', '${')
}

/** Bytes of lists and of matches: what is further behind is left out. */
const MAX_LISTED = '64000000'
const MAX_FOUND = '16000000'

/** What programs say in the locale C, and the code of the system that is meant. */
export const FAILURES: readonly (readonly [pattern: RegExp, code: string])[] = [
  [/no space left/i, 'ENOSPC'],
  [/quota exceeded/i, 'EDQUOT'],
  [/read.only file system/i, 'EROFS'],
  [/permission denied|operation not permitted/i, 'EACCES'],
  [/name too long/i, 'ENAMETOOLONG'],
  [/too many levels of symbolic links/i, 'ELOOP'],
  [/not a directory|file exists/i, 'ENOTDIR'],
  [/is a directory/i, 'EISDIR'],
  [/no such.file/i, 'ENOENT'],
]

/**
 * `fail CODE` ends the script once its input is read: some clients lose what was said before they had sent all. `real PATH` sets R to
 * the path without links, which need not exist. `state PATH` prints raw mode in hexadecimal (octal on BSD), size and version. A version
 * has the times of the file and, where these are whole seconds, which two changes can share, a checksum of its content.
 */
export const PRELUDE = sh`M=$1; shift
LC_ALL=C; export LC_ALL
printf '%s<' "$M"
finish() { printf '%s>' "$M"; }
fail() { printf '%s!%s\n' "$M" "$1"; cat >/dev/null; exit 0; }
if stat -c %i / >/dev/null 2>&1; then gnu=1
elif stat -f %i / >/dev/null 2>&1; then gnu=
else fail ENOSYS; fi
real() {
  R=$1; rest=; links=0
  while :; do
    if [ -d "$R" ]; then
      [ -x "$R" ] || fail EACCES
      R=$(cd -P -- "$R" && pwd -P && printf x) || fail EACCES
      R=\${R%?x}
      [ "$R" = / ] && [ -n "$rest" ] && R=
      R=$R$rest
      return
    elif [ -L "$R" ]; then
      links=$((links + 1)); [ $links -gt 40 ] && fail ELOOP
      to=$(readlink -- "$R" && printf x) || fail EIO
      to=\${to%?x}
      case $to in /*) R=$to ;; *) R=\${R%/*}/$to ;; esac
    else
      [ -e "$R" ] && [ -n "$rest" ] && fail ENOTDIR
      rest=/\${R##*/}$rest; R=\${R%/*}
      [ -n "$R" ] || R=/
    fi
  done
}
raw() {
  if [ "$gnu" ]; then stat -c '%f %s %d:%i:%s:%y:%z' -- "$1"; else stat -f '%Xp %z %d:%i:%z:%Fm:%Fc' -- "$1"; fi
}
state() {
  found=$(raw "$1") || return 1
  case \${found##*.} in
    000000000*) exact= ;;
    "$found") exact= ;;
    *) exact=1 ;;
  esac
  [ -z "$exact" ] && [ -f "$1" ] && [ ! -L "$1" ] && [ -r "$1" ] && found="$found:$(cksum <"$1")"
  printf '%s' "$found"
}
version() {
  if [ -e "$1" ] || [ -L "$1" ]; then
    now=$(state "$1") || fail EIO
    V=\${now#* }; V=\${V#* }
  else V=; fi
}
tell() {
  printf '%s\0' "$R"
  if [ -e "$R" ]; then state "$R" || fail EIO; fi
  printf '\0'
}
`

/** Where commands begin, and the folder of the user. */
export const FOLDERS = sh`here=$(pwd -P) || here=/
home=$(cd -P -- "\${HOME:-/}" 2>/dev/null && pwd -P) || home=$here
printf '%s\0%s\0' "$here" "$home"`

/** `$1`: a path. */
export const INFO = 'real "$1"; tell'

/** `$1`: a path; `$2`, `$3`: first block of 65,536 bytes and how many, or nothing. */
export const READ = sh`real "$1"
[ -d "$R" ] && fail EISDIR
[ -e "$R" ] || fail ENOENT
[ -f "$R" ] || fail ENXIO
[ -r "$R" ] || fail EACCES
tell
if [ "$#" -gt 1 ]; then
  size=\${found#* }; size=\${size%% *}
  [ $(($2 * 65536)) -ge "$size" ] || dd if="$R" bs=65536 skip="$2" count="$3" 2>/dev/null || fail EIO
else cat -- "$R" || fail EIO; fi`

/** `$1`: a folder; then paths in it, each with `./` before it. */
export const READ_ALL = sh`cd -- "$1" || fail ENOENT
shift
for path do
  printf '%s+' "$M"
  if [ -f "$path" ] && [ ! -L "$path" ] && cat -- "$path" 2>/dev/null; then printf '%s.' "$M"; else printf '%s-' "$M"; fi
done`

/** `$1`: the path; `$2`: a name for the copy; `$3`: the size; `$4`: permission bits or nothing; `$5`: the target of a link or nothing. */
const STAGE = sh`path=$1; folder=\${1%/*}; [ -n "$folder" ] || folder=/
real "$folder"; [ "$R" = "$folder" ] || fail ESTALE
[ -d "$path" ] && [ ! -L "$path" ] && fail EISDIR
mkdir -p -- "$folder" || fail EIO
copy=$folder/$2
keep=
trap '[ "$keep" ] || rm -f -- "$copy"' EXIT
trap 'exit 1' HUP INT TERM
if [ -n "$5" ]; then ln -s -- "$5" "$copy" || fail EIO
else
  if [ -e "$path" ] && [ ! -L "$path" ]; then
    [ -f "$path" ] || fail ENXIO
    [ -w "$path" ] || fail EACCES
    cp -p -- "$path" "$copy" || fail EIO
  fi
  cat >"$copy" || fail EIO
  [ "$(wc -c <"$copy")" -eq "$3" ] || exit 1
  [ -z "$4" ] || chmod "$4" -- "$copy" || fail EIO
  sync -- "$copy" 2>/dev/null || :
fi
`

/** One change that writes: as `STAGE`, and `$6`: `=` and the version that is expected, or nothing. */
export const PUT = sh`${STAGE}
if [ -n "$6" ]; then version "$path"; [ "=$V" = "$6" ] || fail ESTALE; fi
mv -f -- "$copy" "$path" || fail EIO
keep=1
R=$path; tell`

/** The new content of one of several, beside its file. */
export const STAGE_ONLY = `${STAGE}\nkeep=1`

/** Copies that are not needed any more. */
export const DROP = 'for path do rm -f -- "$path"; done'

/**
 * Puts staged copies in place: five arguments for each change: its path, `put` or `remove`, the copy, a name to keep the
 * old file under, and `=` and the version that is expected, or nothing.
 */
export const COMMIT = sh`check() {
  while [ $# -gt 0 ]; do
    if [ -n "$5" ]; then version "$1"; [ "=$V" = "$5" ] || fail ESTALE; fi
    [ -d "$1" ] && [ ! -L "$1" ] && fail EISDIR
    shift 5
  done
}
perform() {
  if [ "$2" = remove ]; then mv -f -- "$1" "$4"; return; fi
  if [ -e "$1" ] || [ -L "$1" ]; then ln -- "$1" "$4" 2>/dev/null || cp -pP -- "$1" "$4" || return 1; fi
  mv -f -- "$3" "$1"
}
all() { while [ $# -gt 0 ]; do perform "$1" "$2" "$3" "$4" || return 1; count=$((count + 1)); shift 5; done; }
undo() {
  while [ "$count" -gt 0 ]; do
    if [ -e "$4" ] || [ -L "$4" ]; then mv -f -- "$4" "$1" || fail ENOTRECOVERABLE
    elif [ "$2" = put ]; then rm -f -- "$1" || fail ENOTRECOVERABLE; fi
    count=$((count - 1)); shift 5
  done
}
clean() { while [ $# -gt 0 ]; do rm -f -- "$3" "$4"; shift 5; done; }
check "$@"
count=0
if all "$@"; then clean "$@"; else undo "$@"; clean "$@"; fail EIO; fi
while [ $# -gt 0 ]; do R=$1; tell; shift 5; done`

/** `$1`: a folder; `$2`: whether targets are wanted; then conditions of find that close folders, and options before them. */
export const LIST = sh`real "$1"
[ -e "$R" ] || fail ENOENT
[ -d "$R" ] || fail ENOTDIR
[ -r "$R" ] || fail EACCES
cd -- "$R" || fail EACCES
targets=$2; depth=$3; shift 3
if [ "$gnu" ]; then kind=-c; form="$M %f %s %d:%i:%s:%y:%z/%n"; else kind=-f; form="$M %Xp %z %d:%i:%z:%Fm:%Fc/%N"; fi
if [ "$targets" ]; then
  export M
  find . -maxdepth "$depth" -type l -exec sh -c 'for path do printf "%s@%s\0" "$M" "$path"; readlink -- "$path"; printf "\0"; done' sh {} + -o "$@"
fi
find . -maxdepth "$depth" -exec stat "$kind" "$form" -- {} + "$@" | head -c ${MAX_LISTED}`

/** `$1`: a folder; `$2`: a glob for rg or nothing; then conditions of find. */
export const NAMES = sh`cd -- "$1" || fail ENOENT
glob=$2; shift 2
if command -v rg >/dev/null 2>&1; then
  printf 'r'
  if [ -n "$glob" ]; then set -- --glob "$glob"; else set --; fi
  rg --no-config --files --hidden --null "$@" --glob '!**/.git/**' --glob '!**/node_modules/**' -- . | head -c ${MAX_LISTED}
else
  printf 'f'
  find . -type d \( -name .git -o -name node_modules \) -prune -o -type f "$@" -exec sh -c 'printf "%s\0" "$@"' sh {} + | head -c ${MAX_LISTED}
fi`

/**
 * `$1`: a folder; `$2`: the pattern; `$3`: another for grep without Perl's expressions; `$4`: `literal` or nothing; `$5`: lines around;
 * `$6`: lines of one file or nothing; `$7`: a glob for rg or nothing; `$8`: one file or nothing; then conditions of find.
 */
export const SEARCH = sh`cd -- "$1" || fail ENOENT
pattern=$2; plain=$3; literal=$4; around=$5; most=$6; glob=$7; file=$8; shift 8
if command -v rg >/dev/null 2>&1; then
  printf 'r'
  set -- --no-config --hidden --sort path --json --crlf --context "$around"
  if [ -n "$literal" ]; then set -- "$@" --fixed-strings; else set -- "$@" --engine auto; fi
  [ -z "$most" ] || set -- "$@" --max-count "$most"
  [ -z "$glob" ] || set -- "$@" --glob "$glob"
  rg "$@" --glob '!**/.git/**' --glob '!**/node_modules/**' --regexp "$pattern" -- "\${file:-.}" | head -c ${MAX_FOUND}
else
  printf 'g'
  ignore=
  case $pattern in '(?i)'*) [ -n "$literal" ] || { ignore=-i; pattern=\${pattern#'(?i)'}; plain=\${plain#'(?i)'}; } ;; esac
  if [ -n "$literal" ]; then kind=-F
  elif printf a | grep -qP a 2>/dev/null; then kind=-P
  else kind=-E; pattern=$plain; fi
  echo | grep -q $kind -e "$pattern"; [ $? -lt 2 ] || fail EBADMSG
  binary=; printf 'x\000\n' | grep -q -I x 2>/dev/null; [ $? -eq 1 ] && binary=-I
  export M kind pattern ignore binary around most
  each='
    grep -l $kind $ignore $binary -e "$pattern" -- "$@" 2>/dev/null | while IFS= read -r path; do
      if [ -z "$binary" ]; then
        [ "$(head -c 8192 <"$path" | wc -c)" = "$(head -c 8192 <"$path" | tr -d "\000" | wc -c)" ] || continue
      fi
      printf "%s@%s\n" "$M" "$path"
      set -- -n; [ "$around" = 0 ] || set -- "$@" -A "$around" -B "$around"; [ -z "$most" ] || set -- "$@" -m "$most"
      grep "$@" $kind $ignore $binary -e "$pattern" -- "$path" 2>/dev/null | cut -b 1-8192
    done'
  if [ -n "$file" ]; then sh -c "$each" sh "$file" | head -c ${MAX_FOUND}
  else find . -type d \( -name .git -o -name node_modules \) -prune -o -type f "$@" -exec sh -c "$each" sh {} + | head -c ${MAX_FOUND}
  fi
fi`
