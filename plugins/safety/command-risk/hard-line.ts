/** Commands that never run, in any mode and with any approval: they destroy the machine or the user's files. */
import { extractCode, listLiterals } from './code.ts'
import { UNKNOWN } from './expand.ts'
import type { Script } from './normalise.ts'
import { has, operands, option } from './options.ts'
import { handlesText, isRunner } from './runners.ts'
import { couldBe, isBlockDevice, isVital, resolvePath } from './sensitive-paths.ts'
import type { Command } from './walk.ts'
import { POWER } from './watched.ts'

/** One line that is not crossed. */
interface HardLine {
  readonly why: string
  readonly crossed: (command: Command, name: string) => boolean
}

const DELETERS = ['rm', 'rmdir', 'shred', 'srm', 'remove-item', 'rd', 'del', 'trash']
const WATCHED = [...DELETERS, ...POWER, 'dd', 'mkfs', 'init', 'telinit', 'killall5', 'find', 'kill', 'systemctl']

const lines: readonly HardLine[] = [
  { why: 'deletes the root, a system folder or a whole home folder', crossed: deletesVital },
  { why: 'makes a new file system over what is there', crossed: (command, name) => formats(command, name) },
  { why: 'writes over a disk or a partition', crossed: writesDevice },
  { why: 'ends every process of the machine', crossed: killsAll },
  { why: 'shuts the machine down or restarts it', crossed: powersOff },
  { why: 'guesses the password of sudo', crossed: ({ wrappers }) => wrappers.some(guessesPassword) },
  {
    why: 'starts processes without end',
    crossed: (command) => /\bfork\s+while\s+fork\b/.test(extractCode(command) ?? ''),
  },
]

/** Why the script is never run, or undefined. */
export function hardLine(script: Script): string | undefined {
  if (script.forkBomb) return 'starts processes without end'
  for (const command of script.commands) {
    const name = resolveName(command.name)
    // Their names are words of everyday speech: only a command that is one for sure counts.
    if (isQuestion(command) || (!command.isCertain && POWER.has(name))) continue
    const line = lines.find(({ crossed }) => crossed(command, name))
    if (line) return line.why
  }
  return undefined
}

/** `/bin/r?` is `rm` to a shell, and so is `r${x}m` when x is empty. */
function resolveName(name: string): string {
  const pattern = name.replaceAll(UNKNOWN, '*')
  if (name === UNKNOWN || name.length < 2 || !/[*?[]/.test(pattern)) return name
  return WATCHED.find((known) => couldBe(pattern, known)) ?? name
}

/** `-rf` means something else to them. */
const KEEPS = /^(tar|bsdtar|find|fd|xargs|sudo|python\d*|node|bash|sh|ps|sort|make|go|cargo|npm)$/

/** Asking a program for its help or version does nothing. */
export function isQuestion({ args }: Command): boolean {
  return args.length === 1 && /^(--help|--version|-\?)$/.test(args[0] ?? '')
}

function vital(command: Command, paths: readonly string[]): boolean {
  return paths.some((path) => isVital(resolvePath(path, command.cwd)))
}

function deletesVital(command: Command, name: string): boolean {
  const { args } = command
  const targets = operands(args)
  if (DELETERS.includes(name)) {
    if (has(args, '--no-preserve-root')) return true
    const recursive = option(args, 'rR', ['--recursive', '-recurse', '/s'])
    return (recursive || name === 'shred' || name === 'srm') && vital(command, targets)
  }
  // A program that is not known and is called as `rm -rf` would be is taken for it.
  if (
    !handlesText(name) &&
    !isRunner(name) &&
    !KEEPS.test(name) &&
    args.some((word) => /^-(rf|fr|Rf|fR)$/.test(word)) &&
    vital(command, targets)
  )
    return true
  if (name === 'find') return findsAll(command, targets)
  if (name === 'mv') return targets.at(-1) === '/dev/null' && vital(command, targets.slice(0, -1))
  if (name === 'rsync') return args.some((word) => word.startsWith('--del')) && vital(command, targets.slice(-1))
  const code = extractCode(command)
  if (code === undefined || !/rmtree|rmSync|rmdirSync|\brm\b|rm_rf|remove_tree|remove_dir_all|rimraf/.test(code))
    return false
  if (
    /expanduser\(['"]~['"]\)|Path\.home\(\)\s*[,)]|homedir\(\)\s*[,)]|Dir\.home\s*[,)]|environ\[['"]HOME['"]\]\s*[,)]|process\.env\.HOME\s*[,)]/.test(
      code,
    )
  )
    return true
  return listLiterals(code).some((text) => isVital(resolvePath(text, command.cwd)) && !/^\.*$/.test(text))
}

/** `find /` that deletes without choosing. */
function findsAll(command: Command, targets: readonly string[]): boolean {
  const { args } = command
  const tests = args.some((word) =>
    /^-(i?name|i?path|i?regex|mtime|mmin|atime|ctime|size|user|empty|newer\w*)$/.test(word),
  )
  const deletes =
    args.includes('-delete') ||
    args.some((word, at) => /^-exec/.test(word) && /(^|\/)(rm|shred)$/.test(args[at + 1] ?? ''))
  const first = targets.slice(
    0,
    Math.max(
      0,
      args.findIndex((word) => word.startsWith('-')),
    ),
  )
  return deletes && !tests && vital(command, first)
}

function formats({ args }: Command, name: string): boolean {
  if (/^(mkfs|mke2fs|newfs)/.test(name) || name === 'mkswap') return operands(args).length > 0 || args.length === 0
  if (name === 'format' || name === 'format.com') return /^[a-z]:/i.test(args[0] ?? '')
  if (name === 'diskutil') return /^(erase|partition|zero|secureErase|reformat)/i.test(args[0] ?? '')
  if (name === 'cryptsetup') return args.includes('luksFormat')
  if (name === 'zpool') return args[0] === 'destroy'
  return name === 'clear-disk' || name === 'format-volume'
}

function writesDevice(command: Command, name: string): boolean {
  const { args, redirects } = command
  const device = (path: string) => isBlockDevice(resolvePath(path, command.cwd))
  if (redirects.some(({ operator, target }) => operator.includes('>') && operator !== '>&' && device(target)))
    return true
  const targets = operands(args)
  if (name === 'dd') return args.some((word) => word.startsWith('of=') && device(word.slice(3)))
  if (/^(cp|mv|install)$/.test(name)) return device(targets.at(-1) ?? '')
  if (/^(tee|shred|wipe|blkdiscard|truncate|badblocks)$/.test(name))
    return targets.some(device) && (name !== 'badblocks' || option(args, 'w', []))
  if (name === 'wipefs') return targets.some(device) && option(args, 'a', ['--all'])
  if (name === 'sgdisk') return option(args, 'Zo', ['--zap-all', '--clear'])
  if (name === 'hdparm') return args.some((word) => /^--(security-erase|trim-sector|write-sector)/.test(word))
  return name === 'nvme' && /^(format|sanitize)$/.test(args[0] ?? '')
}

function killsAll({ args }: Command, name: string): boolean {
  if (name === 'killall5') return true
  // The first -1 may be the signal; after another signal or `--` it is "everybody".
  if (name === 'kill') return args.some((word, at) => word === '-1' && at > 0 && args[0] !== '-l')
  if (name !== 'pkill' && name !== 'killall') return false
  const pattern = operands(args)
  return pattern.length > 0 && pattern.every((word) => /^(\.|\.\*|\.\+|\^|\$|\^\.\*\$?|\[[^\]]*\]\*?|)$/.test(word))
}

function powersOff({ args, redirects }: Command, name: string): boolean {
  if (redirects.some(({ target }) => target === '/proc/sysrq-trigger')) return true
  if (name === 'tee' && args.includes('/proc/sysrq-trigger')) return true
  if (/^(dbus-send|busctl|gdbus|qdbus)$/.test(name)) return /login1.*\b(Reboot|PowerOff|Halt)/i.test(args.join(' '))
  if (POWER.has(name)) return !has(args, '-c') && !has(args, '--show') && !has(args, '-w')
  if (name === 'init' || name === 'telinit') return args[0] === '0' || args[0] === '6'
  if (name === 'osascript')
    return /shut down|restart/i.test(args.join(' ')) && /System Events|Finder/i.test(args.join(' '))
  if (name !== 'systemctl' && name !== 'loginctl') return false
  const [verb = '', unit = ''] = operands(args)
  if (/^(poweroff|reboot|halt|kexec|soft-reboot|emergency|rescue)$/.test(verb)) return true
  return /^(isolate|start)$/.test(verb) && /^(poweroff|reboot|halt|kexec|emergency|rescue)\.target$/.test(unit)
}

function guessesPassword([name, ...options]: readonly string[]): boolean {
  return name === 'sudo' && option(options, 'S', ['--stdin'])
}
