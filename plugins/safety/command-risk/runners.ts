/**
 * The general rule about programs that run others: every tail of a command's words, and every word that holds a blank, is
 * a command, unless the program is known to handle nothing but text and files.
 */
import { interpreter } from './code.ts'
import { isWatched } from './watched.ts'
import { getProgramName, unwrap } from './wrappers.ts'

/** Programs whose words are text, names or files, never commands. */
const TEXT = new Set(
  (
    'echo printf grep egrep fgrep zgrep rg ag ack cat tac less more most head tail ls dir wc sort uniq cut paste tr ' +
    'diff cmp comm jq man which whereis type whatis apropos tldr help info file stat du df mkdir touch cp mv ln test ' +
    '[ [[ export declare local readonly typeset unset read cd pushd popd dirs mail mailx notify-send say logger gh glab ' +
    'hub curl wget tee basename dirname realpath readlink psql mysql mariadb sqlite3 sqlite mongosh mongo redis-cli chmod ' +
    'chown chgrp zip unzip gzip gunzip kill killall pkill pgrep rm rmdir unlink shred srm base64 base32 xxd od hexdump ' +
    'rev fold fmt nl column join split md5sum sha1sum sha256sum sha512sum cksum date cal bc expr seq yes sleep true ' +
    'find fd fdfind awk gawk mawk nawk false : return exit break continue set shopt for select case alias unalias hash history fc jobs fg bg wait umask ' +
    'ulimit getopts shift let code subl open xdg-open start dig host nslookup ping traceroute whois ss netstat lsof ps ' +
    'top htop free uname whoami id groups hostname uptime convert magick ffmpeg ffprobe pandoc wkhtmltopdf git jj hg svn ' +
    'rsync scp sftp aws az gcloud gsutil terraform tofu helm systemctl service launchctl crontab svc tree exa eza bat ' +
    'fzf sed gsed perl-rename useradd userdel usermod adduser groupadd passwd apropos dd mkfs mount umount ' +
    'shutdown reboot halt poweroff init telinit format diskutil remove-item copy-item move-item get-childitem get-content ' +
    'set-content add-content new-item write-host write-output select-string test-path out-file out-null where-object ' +
    'sort-object select-object measure-object format-table format-list del rd move copy'
  ).split(' '),
)
/** Targets and scripts of a project: their words name rules, not programs. */
const TARGETS =
  /^(make|gmake|just|task|rake|gradle|gradlew|ant|ninja|mvn|mvnw|invoke|nox|tox|grunt|gulp|bazel|sbt|lein)$/
/** Package managers: verbs after which words are names of packages. */
const PACKAGERS =
  /^(npm|pnpm|yarn|bun|pip\d*|uv|cargo|go|brew|apt|apt-get|aptitude|dnf|yum|zypper|apk|pacman|gem|composer|poetry|pdm|pipenv|conda|mamba|snap|flatpak|choco|winget|scoop|nix-env|port|cpan|luarocks|rustup|dotnet|mix|flutter|dart|deno)$/
const PACKAGE_VERB =
  /^(install|i|add|get|remove|rm|uninstall|un|update|up|upgrade|info|view|show|search|list|ls|outdated|why|audit|pack|ci|dedupe|link|unlink|publish|init|create|new|build|test|check|fmt|clippy|doc|clean|fetch|tree|sync|lock|export|cache|config|set|pin|tap|login|version|mod|vet|env|reinstall|download|freeze)$/
/** Their words name parts of a cluster, but for those after `exec` and `run`. */
const CONTAINERS = /^(docker|docker-compose|podman|nerdctl|kubectl|oc)$/
/** Programs known for running what they are given. */
const RUNNERS = new Set(
  (
    'uv uvx poetry pipenv pdm rye hatch bundle bundler conda mamba micromamba direnv mise asdf rtx npx npm pnpm yarn bun ' +
    'bunx concurrently nodemon nix nix-shell hyperfine firejail bwrap setpriv prlimit runcon expect spawn gdb lldb ' +
    'cpulimit proot fakeroot fakechroot dbus-run-session with-contenv dotenv cross-env env-cmd doppler op infisical ' +
    'aws-vault chamber teller heroku fly flyctl vagrant wsl flatpak-spawn flatpak distrobox toolbox lxc incus docker ' +
    'podman nerdctl kubectl oc docker-compose ssh mosh tsh sshpass entr watchexec cargo-watch chokidar onchange wait-on ' +
    'start-server-and-test foreman overmind honcho forever pm2 supervisord s6-setuidgid setuidgid chpst runit daemonize ' +
    'start-stop-daemon runuser su machinectl systemd-nspawn schroot unshare retry parallel rust-parallel xargs watch ' +
    'perf valgrind heaptrack rr ltrace strace dtrace catchsegv gtime chronic ts ifne sem lockrun flock setarch ' +
    'linux32 linux64 numactl cgexec systemd-inhibit caffeinate gnome-terminal xterm konsole alacritty kitty tmux screen ' +
    'dtach abduco zellij shell platform system exec ! script scriptreplay unbuffer faketime tsocks torsocks torify ' +
    'proxychains proxychains4 mpirun mpiexec srun sbatch salloc bsub qsub at batch rlwrap ' +
    'xvfb-run dbus-launch busybox toybox start-process invoke-command start-job'
  ).split(' '),
)
/** Options whose value is text for people. */
const TEXT_OPTION =
  /^(-m|--message|--title|--body|--description|--desc|--name|--names|--prompt|-q|--query|--grep|--filter|--reporter|--label|--comment|--text|--subject|--author|--format|--template|-n)$/
const MAX_TAILS = 24
const MAX_TEXT = 4000

/** A command in a command. `isCertain`: it is one for sure, not words that look like one. */
export interface Inner {
  readonly words?: readonly string[]
  readonly text?: string
  readonly isCertain: boolean
}

/** Whether a program runs what it is given. */
export function isRunner(name: string): boolean {
  return RUNNERS.has(name)
}

/** Whether the words of a program are never commands. */
export function handlesText(name: string): boolean {
  return TEXT.has(name)
}

/** The commands contained in the words of this one. `tooMany` is called if there are more than can be judged. */
export function innerCommands(name: string, args: readonly string[], tooMany: () => void): Inner[] {
  if (TEXT.has(name)) return []
  const found: Inner[] = []
  const isCertain = RUNNERS.has(name) || interpreter(name) !== undefined
  for (let at = countSkipped(name, args); at < args.length && found.length < MAX_TAILS; at++) {
    const word = args[at] as string
    if (word.length < 2 || TEXT_OPTION.test(args[at - 1] ?? '') || isOwnCode(name, args[at - 1])) continue
    if (/\s|^['"(]/.test(word)) found.push(...texts(word, isCertain))
    else if (isStart(word)) found.push({ words: args.slice(at), isCertain: isCertain || /^-/.test(args[at + 1] ?? '') })
  }
  if (found.length >= MAX_TAILS) tooMany()
  return found
}

/** Whether a tail that begins so could be something that is judged. */
function isStart(word: string): boolean {
  if (/^-/.test(word)) return false
  if (/[*?[]/.test(word)) return /^\/(usr\/(local\/)?)?s?bin\//.test(word)
  const name = getProgramName(word)
  return (
    isWatched(name) || RUNNERS.has(name) || unwrap([word, 'x']).wrappers.length > 0 || interpreter(name) !== undefined
  )
}

/** A word with blanks: as typed, without the option it belongs to, and the commands that a program's own language runs. */
function texts(word: string, isCertain: boolean): Inner[] {
  if (word.length > MAX_TEXT) return [{ text: word, isCertain }]
  const [, value = word] = /^--?[\w-]+=([\s\S]+)$/.exec(word) ?? []
  const own = /^\s*(?:shell|!|platform\s+shell|spawn|exec|system|-?exec:|run)\s*[:(]?\s*([\s\S]+)$/.exec(value)?.[1]
  return [value, ...(own === undefined ? [] : [own])].map((text) => ({ text, isCertain }))
}

/** The words at the start that name a rule, a script or packages. */
function countSkipped(name: string, args: readonly string[]): number {
  if (TARGETS.test(name)) return findPositionAfter(args, (word) => word === '--')
  if (CONTAINERS.test(name)) return findPositionAfter(args, (word) => /^(exec|run|debug|rsh|attach)$/.test(word))
  return PACKAGERS.test(name) ? afterVerb(name, args) : 0
}

function afterVerb(name: string, args: readonly string[]): number {
  const at = args.findIndex((word) => !word.startsWith('-'))
  const verb = args[at] ?? ''
  if (name === 'uv') return /^(run|x)$/.test(verb) ? at + 1 : args.length
  // What follows is the name of a script.
  if (/^(run|run-script|start|task)$/.test(verb)) return /^(npm|pnpm|yarn)$/.test(name) ? at + 2 : at + 1
  return PACKAGE_VERB.test(verb) ? args.length : 0
}

/** The place after the first word of this kind, or the end. */
function findPositionAfter(args: readonly string[], isWanted: (word: string) => boolean): number {
  const at = args.findIndex(isWanted)
  return at < 0 ? args.length : at + 1
}

/** `python -c`: judged as code. */
function isOwnCode(name: string, option: string | undefined): boolean {
  return interpreter(name) !== undefined && /^-[a-zA-Z]*[cerpE]$|^--(eval|print|exec)$/.test(option ?? '')
}
