/** From a command line to the commands that a shell would run: quoting, variables, wrappers and encodings undone. */
import { homedir } from 'node:os'
import type { ShellCommandContext } from 'svc/sdk/shell'
import { type Dialect, readText } from './grammar.ts'
import { type Ground, NO_GROUND } from './ground.ts'
import type { Shell } from './sessions.ts'
import type { Reading } from './shell-nodes.ts'
import { ShellState } from './shell-state.ts'
import { type Command, MAX_COMMANDS, type Start, Walk } from './walk.ts'

export { type Command, MAX_COMMANDS }

/** What is left to judge. */
export interface Script {
  readonly commands: readonly Command[]
  readonly operators: boolean
  /** Too deep or too large to be followed; nothing may be concluded from what was not found. */
  readonly tangled: boolean
  /** A function that calls itself twice. */
  readonly forkBomb: boolean
  /** It may change files; true when that is not known. */
  readonly writes: boolean
  /** Variables set at the end, for the next command of the same shell. */
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Variables that were read, with what was known of them. */
  readonly read: ReadonlyMap<string, string>
  /** The text in one line, without what only hides it. */
  readonly text: string
  /** As typed, without comments; undefined when there are none. */
  readonly uncommented: string | undefined
  /** Characters that were read and made: what it took. Never much more than `workFor` its length. */
  readonly work: number
  /** The shell afterwards. */
  readonly state: ShellState
  /** Files that the session wrote and that are run, whose text is not in `files` yet. */
  readonly unread: readonly string[]
  /** Where it runs. */
  readonly cwd: string
  readonly home: string
  readonly ground: Ground
}

const MAX_TEXT = 262_144
/** Variables that decide which program a name is, or what known programs run. */
const PROGRAM_VARIABLE = /^(PATH|LD_|DYLD_|GIT_|BASH_ENV$|ENV$|RIPGREP_CONFIG_PATH$)/

/** How many characters may be read and made for a text of this length before it counts as unreadable. */
export function workFor(length: number): number {
  return 65_536 + 4 * length
}

/** Facts besides the command. */
export interface Known {
  readonly shell?: Shell
  /** Texts of files that were written and are run, by absolute path. */
  readonly files?: ReadonlyMap<string, string>
}

/** Takes a command line apart. Linear in its length, and never throws. */
export function normalise(command: string, setting: ShellCommandContext, known: Known = {}): Script {
  const raw = command.slice(0, MAX_TEXT)
  const text = normaliseText(raw)
  const dialect = setting.shell ?? 'posix'
  const files = [...(known.files?.values() ?? [])].reduce((sum, file) => sum + file.length, 0)
  const start = beginning(setting, known, dialect, workFor(raw.length + files))
  const walk = new Walk(start)
  walk.tangled = command.length > MAX_TEXT
  const reading = readText(raw, dialect)
  walk.run(reading)
  const { read, variables, state } = walk
  // What a shell makes of the text as it is counts, and so does what it would be without disguise: cleaning alone could
  // make a comment or a quoted text of something that runs.
  const bare = text === raw ? undefined : new Walk(start)
  bare?.run(readText(text, dialect))
  return {
    commands: [...walk.commands, ...(bare?.commands ?? [])],
    operators: reading.operators,
    tangled: walk.tangled || bare?.tangled === true,
    forkBomb: walk.forkBomb || bare?.forkBomb === true,
    writes: changesPrograms(start) || state.isIncomplete || [walk, bare].some((each) => each?.writes || each?.tangled),
    variables,
    read,
    text: text.replace(/\s+/g, ' ').trim(),
    uncommented: removeRanges(raw, reading.comments),
    work: walk.work + (bare?.work ?? 0),
    state,
    unread: [...walk.runs, ...(bare?.runs ?? [])].filter((path) => !known.files?.has(path)),
    cwd: setting.cwd,
    home: start.home,
    ground: NO_GROUND,
  }
}

function beginning(setting: ShellCommandContext, { shell, files }: Known, dialect: Dialect, limit: number): Start {
  const environment = Object.entries(setting.environment ?? {}).filter(([name]) => name !== 'HOME')
  return {
    cwd: setting.cwd,
    home: setting.environment?.['HOME'] ?? homedir(),
    dialect,
    limit,
    variables: new Map([
      ...environment.map(([name, value]) => [name, [value]] as const),
      ...(shell?.variables ?? []),
      ...(setting.variables ?? []),
      ['PWD', [setting.cwd]],
    ]),
    state: shell?.state ?? new ShellState(),
    files: files ?? new Map(),
  }
}

/** The names of programs cannot be trusted: the shell is not a POSIX one, or variables change what they run. */
function changesPrograms({ dialect, variables }: Start): boolean {
  return dialect !== 'posix' || [...variables.keys()].some((name) => PROGRAM_VARIABLE.test(name))
}

/** The text without these places; undefined when there are none. */
function removeRanges(text: string, places: Reading['comments']): string | undefined {
  if (!places.length) return undefined
  const ends = [0, ...places.map(([, end]) => end)]
  const starts = [...places.map(([start]) => start), text.length]
  return ends.map((end, at) => text.slice(end, starts[at])).join('')
}

/** Escape sequences, invisible characters, look-alikes and line continuations are removed. */
export function normaliseText(text: string): string {
  const bare = text
    .replace(/\u001b(?:\[[0-?]{0,64}[ -/]{0,16}[@-~]|\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\\\n/g, '')
  return /^[\n\t -~]*$/.test(bare) ? bare : bare.normalize('NFKC')
}
