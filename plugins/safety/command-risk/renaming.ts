/** What a command leaves behind for later ones: aliases, copies and links of programs, links of folders, files. */
import { posix } from 'node:path'
import { isUnknown } from './expand.ts'
import { after, operands } from './options.ts'
import { absolutePath, throughLinks } from './paths.ts'
import type { ShellState } from './shell-state.ts'
import { isSvcProgram } from './svc-program.ts'
import type { Command } from './walk.ts'
import { getProgramName } from './wrappers.ts'
import { listWritten } from './written-paths.ts'

const PROGRAM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/|^\/opt\/(?:homebrew|local)\/s?bin\/|^\/bin\//
const MAX_TEXT = 65_536

/** Notes them in the state. `printed` is the text that the command prints, if that is known. */
export function noteEffects(
  command: Command,
  state: ShellState,
  { home, printed }: { readonly home: string; readonly printed: string | undefined },
): void {
  const { name, args } = command
  if (name === 'alias' || name === 'set-alias' || name === 'new-alias' || name === 'sal' || name === 'abbr')
    noteAliases(name, args, state)
  if (name === 'unalias') for (const word of args) state.aliases.delete(word)
  if (name === 'hash') noteHash(args, state)
  if (/^(cp|mv|ln|install|rsync|dd|copy-item|move-item|new-item|ditto|symlink|link)$/.test(name))
    noteCopies(command, state, home)
  noteFiles(command, state, home, printed)
}

function noteAliases(name: string, args: readonly string[], state: ShellState): void {
  if (name !== 'alias' || (args.length === 2 && !args[0]?.includes('='))) {
    const [key, value] = operands(args).filter((word) => word !== '--')
    if (key !== undefined && value !== undefined) state.note(state.aliases, key.toLowerCase(), value)
  }
  for (const word of args) {
    const [, key, value] = /^([^=\s-][^=\s]*)=([\s\S]*)$/.exec(word) ?? []
    if (key !== undefined && value !== undefined) state.note(state.aliases, key, value)
  }
}

/** `hash -p /bin/rm ls` */
function noteHash(args: readonly string[], state: ShellState): void {
  const at = args.indexOf('-p')
  const [path, name] = args.slice(at + 1)
  if (at >= 0 && path !== undefined && name !== undefined)
    state.note(state.programs, getProgramName(name), getProgramName(path))
}

/** A program under another name, and a folder under another path. */
function noteCopies({ name, args, cwd }: Command, state: ShellState, home: string): void {
  const all = operands(args).filter((word, at) => !(name === 'install' && /^[0-7]{3,4}$/.test(word) && at === 0))
  const into = after(args, /^(-t|--target-directory)$/)
  const last = into ?? (name === 'ln' && all.length === 1 ? '.' : all.at(-1))
  const sources = into === undefined && all.length > 1 ? all.slice(0, -1) : all
  if (name === 'dd') {
    const from = args.find((word) => word.startsWith('if='))?.slice(3)
    const to = args.find((word) => word.startsWith('of='))?.slice(3)
    if (from !== undefined && to !== undefined) noteCopy(from, to, name, { cwd, home, state })
  } else if (last !== undefined) for (const source of sources) noteCopy(source, last, name, { cwd, home, state })
}

interface Around {
  readonly cwd: string | undefined
  readonly home: string
  readonly state: ShellState
}

function noteCopy(source: string, last: string, name: string, { cwd, home, state }: Around): void {
  if (source === last) return
  const to = absolutePath(last, cwd, home)
  const from = absolutePath(source, name === 'ln' && to !== undefined && /^[^/~]/.test(source) ? cwd : cwd, home)
  const meant = programAt(source, from, cwd, home, state)
  const base = posix.basename(source)
  for (const path of to === undefined ? [last] : [to, posix.join(to, base)]) {
    if (meant !== undefined && getProgramName(path) !== meant) {
      state.note(state.programs, path, meant)
      state.note(state.programs, getProgramName(path), meant)
    }
    if (name === 'ln' && from !== undefined && to !== undefined && path !== from && !from.startsWith(`${path}/`))
      state.note(state.links, path, throughLinks(from, state.links))
  }
  const text = from === undefined ? undefined : state.written.get(from)
  if (text !== undefined && to !== undefined) {
    state.note(state.written, to, text)
    state.note(state.written, posix.join(to, base), text)
  }
}

/** The program that a file is, when it is one that is known. */
function programAt(
  word: string,
  path: string | undefined,
  cwd: string | undefined,
  home: string,
  state: ShellState,
): string | undefined {
  if (isSvcProgram(word, cwd, home)) return 'svc'
  const known = (path === undefined ? undefined : state.programs.get(path)) ?? state.programs.get(word)
  if (known !== undefined) return known
  if (path !== undefined && PROGRAM_FOLDER.test(path)) return getProgramName(path)
  // `$(which rm)` is known by its name alone.
  return /^[a-z]{2,12}$/.test(word) && /^(rm|dd|sh|bash|zsh|dd|mkfs|curl|wget|git|python3?|node|perl)$/.test(word)
    ? word
    : undefined
}

/** Files that are written, with their text when it is known. */
function noteFiles(command: Command, state: ShellState, home: string, printed: string | undefined): void {
  const text = printed ?? (command.name === 'cat' && command.args.length === 0 ? command.input : undefined)
  for (const word of listWritten(command)) {
    const path = absolutePath(word, command.cwd, home)
    if (path === undefined || path.startsWith('/dev/')) continue
    const whole = wholeText(command, word, text, state.written.get(path))
    // A copy is known by its source; what was there before the session is not looked into.
    if (whole !== '' || !/^(cp|mv|ln|install|rsync|mkdir)$/.test(command.name)) state.note(state.written, path, whole)
  }
}

/** What a file holds afterwards; empty when that is not known. */
function wholeText(command: Command, word: string, text: string | undefined, before: string | undefined): string {
  const redirect = command.redirects.find(({ target }) => target === word)
  if (text === undefined || isUnknown(text) || text.length > MAX_TEXT) return ''
  if (redirect === undefined && command.name !== 'tee') return ''
  const isAppended = redirect?.operator === '>>' || (redirect === undefined && command.args.includes('-a'))
  if (!isAppended) return text
  return before === '' ? '' : `${before ?? ''}\n${text}`
}
