#!/bin/sh
# Installs svc from a git repository: sh install.sh --repository URL [--commit C | --tag T | --branch B]
# In stages, each of which a launcher may run as a process of its own; see "Installation" in README.md.
set -u

protocol='{"protocol_version":1,"stages":[
{"name":"git","title":"Git","category":"prereqs","needs_user_input":false},
{"name":"node","title":"Node.js","category":"prereqs","needs_user_input":false},
{"name":"repository","title":"Program files","category":"install","needs_user_input":false},
{"name":"dependencies","title":"Libraries","category":"install","needs_user_input":false},
{"name":"build","title":"Build","category":"install","needs_user_input":false},
{"name":"command","title":"Command on the path","category":"finalize","needs_user_input":false},
{"name":"check","title":"First start","category":"finalize","needs_user_input":false},
{"name":"setup","title":"Model and keys","category":"post-install","needs_user_input":true}]}'
stages='git node repository dependencies build command check setup'
min_node=20.19

usage() {
  cat <<'TEXT'
Usage: sh install.sh [options]
  --repository <url>   where svc comes from (default: that of the checkout that this script is in)
  --commit <commit>    this commit; goes before --tag and --branch
  --tag <tag>          this tag; goes before --branch
  --branch <branch>    this branch (default: that of the repository)
  --dir <folder>       where it is installed (default: ~/.local/share/svc)
  --bin <folder>       where the command svc is linked (default: ~/.local/bin)
  --svc-home <folder>  SVC_HOME for the last stages
  --manifest           print the stages as JSON
  --stage <name>       run this stage only
  --non-interactive    skip what needs a person
  --json               the last line of each stage is its result as JSON
TEXT
}

wrong() {
  printf 'install.sh: %s\n' "$1" >&2
  usage >&2
  exit 2
}

repository='' commit='' tag='' branch='' only=''
dir="${HOME:-}/.local/share/svc" bin="${HOME:-}/.local/bin"
json=no interactive=yes manifest=no
while [ $# -gt 0 ]; do
  case $1 in
    --repository | --commit | --tag | --branch | --dir | --bin | --svc-home | --stage)
      [ $# -ge 2 ] && [ -n "$2" ] || wrong "$1 needs a value"
      case $2 in -*) wrong "$1 needs a value, not $2" ;; esac
      case $1 in
        --repository) repository=$2 ;;
        --commit) commit=$2 ;;
        --tag) tag=$2 ;;
        --branch) branch=$2 ;;
        --dir) dir=$2 ;;
        --bin) bin=$2 ;;
        --svc-home) SVC_HOME=$2 && export SVC_HOME ;;
        --stage) only=$2 ;;
      esac
      shift 2
      ;;
    --manifest) manifest=yes && shift ;;
    --json) json=yes && shift ;;
    --non-interactive) interactive=no && shift ;;
    --help | -h) usage && exit 0 ;;
    *) wrong "there is no option $1" ;;
  esac
done
if [ "$manifest" = yes ]; then
  printf '%s\n' "$protocol" | tr -d '\n'
  printf '\n'
  exit 0
fi
case " $stages " in *" ${only:-git} "*) ;; *) wrong "there is no stage $only" ;; esac
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
[ -t 0 ] || interactive=no

# A stage returns 0 done, 1 failed, 3 skipped, and says why in `reason`.
reason=''
fail() {
  reason=$1
  return 1
}
skip() {
  reason=$1
  return 3
}

stage_git() {
  command -v git >/dev/null 2>&1 || fail 'git is not on the path. Install it with the package manager of this system.'
}

stage_node() {
  command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 ||
    { fail "Node.js with npm is not on the path. Install Node $min_node or newer."; return; }
  node -e "const [a, b] = process.versions.node.split('.').map(Number); const [c, d] = '$min_node'.split('.').map(Number); process.exit(a > c || (a === c && b >= d) ? 0 : 1)" ||
    fail "Node $(node --version) is too old. Install Node $min_node or newer."
}

find_repository() {
  [ -z "$repository" ] || return 0
  here=$(cd "$(dirname "$0")" 2>/dev/null && pwd)
  repository=$(git -C "$here" remote get-url origin 2>/dev/null || true)
  [ -n "$repository" ] || fail 'Name the repository: --repository URL'
}

# Complete in a folder of its own before it gets its name.
stage_repository() {
  if [ -e "$dir/.git" ]; then
    skip "$dir is there already. To update it: svc update"
    return
  fi
  if [ -e "$dir" ] && [ -n "$(ls -A "$dir")" ]; then
    fail "$dir is not empty and no checkout of svc. Choose another folder with --dir."
    return
  fi
  find_repository || return
  part=$dir.part
  rm -rf "$part" && mkdir -p "$(dirname "$dir")" || { fail "$(dirname "$dir") cannot be written."; return; }
  GIT_TERMINAL_PROMPT=0 git clone --quiet --no-checkout -- "$repository" "$part" ||
    { rm -rf "$part"; fail "$repository cannot be cloned."; return; }
  if [ -n "$commit" ]; then pin=$commit
  elif [ -n "$tag" ]; then pin=refs/tags/$tag
  elif [ -n "$branch" ]; then pin=refs/remotes/origin/$branch
  else pin=''; fi
  if [ -z "$pin" ]; then git -C "$part" checkout --quiet
  else git -C "$part" -c advice.detachedHead=false checkout --quiet --detach "$pin" --; fi ||
    { rm -rf "$part"; fail "$repository has no ${commit:-${tag:-$branch}}."; return; }
  # What an update follows.
  if [ -z "$commit$tag" ] && [ -n "$branch" ]; then git -C "$part" config svc.branch "$branch"; fi
  printf 'git\n' >"$part/.install_method" && { rmdir "$dir" 2>/dev/null || true; } && mv "$part" "$dir" ||
    { rm -rf "$part"; fail "$dir cannot be written."; }
}

stage_dependencies() {
  (cd "$dir" && npm ci --no-audit --no-fund --loglevel=error) >&2 || fail 'npm ci failed; its output says why.'
}

stage_build() {
  (cd "$dir" && npm run --silent build && npm prune --omit=dev --no-audit --no-fund --loglevel=error) >&2 ||
    fail 'The build failed; its output says why.'
}

stage_command() {
  entry=$dir/dist/kernel/bin.cjs
  [ -f "$entry" ] || { fail "$entry is not there. Run the stage build first."; return; }
  chmod 755 "$entry" && mkdir -p "$bin" || { fail "$bin cannot be written."; return; }
  if [ -e "$bin/svc" ] && [ ! -L "$bin/svc" ]; then
    fail "$bin/svc is no link. Move it away, or choose another folder with --bin."
    return
  fi
  ln -s "$entry" "$bin/.svc.$$" && mv -f "$bin/.svc.$$" "$bin/svc" || { fail "$bin/svc cannot be written."; return; }
  case ":$PATH:" in *":$bin:"*) ;; *) printf 'Add %s to PATH.\n' "$bin" >&2 ;; esac
}

stage_check() {
  said=$("$bin/svc" --version) || { fail "$bin/svc does not start."; return; }
  printf 'svc %s is installed in %s\n' "$said" "$dir" >&2
}

stage_setup() {
  if [ "$interactive" = no ] || [ "$json" = yes ]; then
    skip 'A person is needed. Run: svc setup'
    return
  fi
  "$bin/svc" setup || fail 'svc setup was left. Run it again: svc setup'
}

escape() {
  printf '%s' "$1" | tr '\n\t' '  ' | sed 's/\\/\\\\/g; s/"/\\"/g'
}

run_stage() {
  reason=''
  began=$(date +%s)
  "stage_$1"
  code=$?
  ok=true skipped=false
  [ $code -ne 1 ] || ok=false
  [ $code -ne 3 ] || skipped=true
  [ $code -eq 0 ] || [ $code -eq 1 ] || [ $code -eq 3 ] || { ok=false && reason="the stage ended with $code"; }
  if [ "$json" = yes ]; then
    text=null
    [ -z "$reason" ] || text="\"$(escape "$reason")\""
    printf '{"stage":"%s","ok":%s,"skipped":%s,"reason":%s,"duration_ms":%s}\n' \
      "$1" "$ok" "$skipped" "$text" $((($(date +%s) - began) * 1000))
  elif [ -n "$reason" ]; then
    printf '%s: %s\n' "$1" "$reason" >&2
  fi
  [ "$ok" = true ]
}

for stage in ${only:-$stages}; do
  run_stage "$stage" || exit 1
done
