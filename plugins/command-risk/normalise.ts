/** From a command line to the commands that a shell would run: quoting, variables, wrappers and encodings undone. */
import { posix } from 'node:path'
import type { CommandSetting } from 'svc/sdk'
import { expandWord, type Surroundings, UNKNOWN } from './expand.ts'
import { carriedByVariable, fileRun, isFed, nestedTexts, reportsText } from './nested.ts'
import { outputOf } from './output.ts'
import type { Node, Part, Reading } from './shell-nodes.ts'
import { readShell } from './shell-reader.ts'
import { nameOf, unwrap } from './wrappers.ts'

/** One command as it would be run. Parts that cannot be known hold `UNKNOWN`. */
export interface Command {
  /** The program: the file name alone, lower-case. */
  readonly name: string
  readonly args: readonly string[]
  readonly redirects: readonly { readonly operator: string; readonly target: string }[]
  /** `sudo`, `env`, `xargs`, ... with their options, outermost first. */
  readonly wrappers: readonly (readonly string[])[]
  /** What is known of its standard input. */
  readonly input: string | undefined
  /** The command whose output it reads. */
  readonly from: Command | undefined
  /** The folder it runs in; undefined when that is not known. */
  readonly cwd: string | undefined
}

/** What is left to judge. */
export interface Script {
  readonly commands: readonly Command[]
  readonly operators: boolean
  /** Too deep or too large to be followed; nothing may be concluded from what was not found. */
  readonly tangled: boolean
  /** A function that calls itself twice. */
  readonly forkBomb: boolean
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
}

const MAX_TEXT = 262_144
/** Commands after which a text counts as unreadable. */
export const MAX_COMMANDS = 500
const MAX_TEXTS = 12
const MAX_VALUES = 64
const MAX_VARIABLES = 500

/** How many characters may be read and made for a text of this length before it counts as unreadable. */
export function workFor(length: number): number {
  return 65_536 + 4 * length
}

/** Takes a command line apart. Linear in its length, and never throws. */
export function normalise(command: string, setting: CommandSetting): Script {
  const raw = command.slice(0, MAX_TEXT)
  const text = cleaned(raw)
  const walk = new Walk(setting, workFor(raw.length))
  walk.tangled = command.length > MAX_TEXT
  const reading = readShell(raw)
  walk.run(reading)
  const { read, variables } = walk
  // What a shell makes of the text as it is counts, and so does what it would be without disguise: cleaning alone could
  // make a comment or a quoted text of something that runs.
  const bare = text === raw ? undefined : new Walk(setting, workFor(raw.length))
  bare?.run(readShell(text))
  return {
    commands: [...walk.commands, ...(bare?.commands ?? [])],
    operators: reading.operators,
    tangled: walk.tangled || bare?.tangled === true,
    forkBomb: walk.forkBomb || bare?.forkBomb === true,
    variables,
    read,
    text: text.replace(/\s+/g, ' ').trim(),
    uncommented: without(raw, reading.comments),
    work: walk.work + (bare?.work ?? 0),
  }
}

/** The text without these places; undefined when there are none. */
function without(text: string, places: Reading['comments']): string | undefined {
  if (!places.length) return undefined
  const ends = [0, ...places.map(([, end]) => end)]
  const starts = [...places.map(([start]) => start), text.length]
  return ends.map((end, at) => text.slice(end, starts[at])).join('')
}

/** Escape sequences, invisible characters, look-alikes and line continuations are gone. */
export function cleaned(text: string): string {
  const bare = text
    .replace(/\u001b(?:\[[0-?]{0,64}[ -/]{0,16}[@-~]|\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '')
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\\\n/g, '')
  return /^[\n\t -~]*$/.test(bare) ? bare : bare.normalize('NFKC')
}

class Walk implements Surroundings {
  readonly commands: Command[] = []
  readonly variables: Map<string, readonly string[]>
  readonly read: Map<string, string> = new Map()
  tangled = false
  forkBomb = false
  work = 0
  readonly #most: number
  #isSpent = false
  #cwd: string | undefined
  #depth = 0
  #outputs: Map<Command, string | undefined> = new Map()
  /** Files that were written, by their last name, and what is in them. */
  #files: Map<string, string> = new Map()

  constructor({ cwd, variables }: CommandSetting, most: number) {
    this.#most = most
    this.#cwd = cwd
    this.variables = new Map(variables)
  }

  run({ nodes, tangled }: Pick<Reading, 'nodes' | 'tangled'>): Command | undefined {
    this.tangled ||= tangled
    let last: Command | undefined
    let body: string | undefined
    let earlier: readonly string[] = []
    for (const node of nodes) {
      if (this.commands.length >= MAX_COMMANDS || this.#isSpent) {
        this.tangled = true
        break
      }
      if (node.defines !== undefined) {
        body = node.defines
        continue
      }
      last = this.#command(node, node.piped ? last : undefined)
      const name = last ? [last.name] : []
      if (body !== undefined && callsItself(body, earlier, name, node)) this.forkBomb = true
      earlier = node.background ? [...name, '&'] : name
    }
    return last
  }

  tooMuch(): void {
    this.tangled = true
  }

  spend(characters: number): boolean {
    this.#isSpent ||= this.work + characters > this.#most
    this.tangled ||= this.#isSpent
    if (!this.#isSpent) this.work += characters
    return !this.#isSpent
  }

  refers(name: string): void {
    this.read.set(name, this.variables.get(name)?.join('\n') ?? '')
  }

  output(part: Extract<Part, { kind: 'script' }>): string | undefined {
    const cwd = this.#cwd
    const before = this.commands.length
    const last = this.run({ nodes: part.script, tangled: false })
    this.#cwd = cwd
    const text = last && this.#outputs.get(last)
    // A command that only makes up a text is not one that is run for its effect.
    if (text !== undefined && part.as === 'text')
      for (const each of this.commands.splice(before)) if (!reportsText(each.name)) this.commands.push(each)
    return text?.trimEnd()
  }

  inner(text: string): string {
    if (!/[$`]/.test(text)) return text
    const { nodes, tangled } = this.#reading(`x=${text}`)
    this.tangled ||= tangled
    const [node] = nodes
    return (
      node?.words
        .flatMap((word) => expandWord(word, this))
        .join(' ')
        .slice(2) ?? ''
    )
  }

  #reading(text: string): Reading {
    if (!this.spend(text.length) || this.#depth > MAX_TEXTS) {
      this.tangled = true
      return { nodes: [], comments: [], operators: true, tangled: true }
    }
    return readShell(text, this.#depth)
  }

  #command(node: Node, from: Command | undefined): Command | undefined {
    const words = node.words.flatMap((word) => expandWord(word, this))
    const redirects = node.redirects.map(({ operator, target }) => ({
      operator,
      target: operator === '<<' ? this.#document(target) : expandWord(target, this).join(' '),
    }))
    const { words: inner, wrappers, assigned } = unwrap(words)
    // In a function, `"$@"` runs whatever the function is given.
    const [word = '', ...given] = inner.some((each) => each !== '') || !isArguments(node) ? inner : [UNKNOWN]
    const document = redirects.find(({ operator }) => operator === '<<' || operator === '<<<')
    const input = document?.target ?? (from && this.#outputs.get(from))
    const args = withInput(given, input ?? UNKNOWN, wrappers)
    const name = word.includes(UNKNOWN) ? nameOf(word) || UNKNOWN : nameOf(word)
    const command: Command = { name, args, redirects, wrappers, input, from, cwd: this.#cwd }
    for (const [key, value] of assigned) this.#assigned(key, value, inner.length && wrappers.length ? 'other' : 'own')
    if (!word && !inner.length && !redirects.length) return undefined
    this.commands.push(command)
    this.#outputs.set(command, wrappers.length ? undefined : this.#printed(command))
    this.#effects(command)
    this.#write(command)
    return command
  }

  #printed({ name, args, input }: Command): string | undefined {
    if (!this.spend(args.reduce((sum, word) => sum + word.length, input?.length ?? 0))) return undefined
    const text = outputOf(name, args, input)
    return this.spend(text?.length ?? 0) ? text : undefined
  }

  /** What a command changes for those after it, and the texts it runs. */
  #effects(command: Command): void {
    this.#assign(command)
    const { name, args } = command
    if (name === 'cd' || name === 'pushd')
      this.#cwd = this.#folder(args.find((word) => !/^-[LPe@]*$/.test(word)) ?? '~')
    const cwd = this.#cwd
    const file = this.#files.get(posix.basename(fileRun(command)))
    for (const { text, keeps } of [...nestedTexts(command), ...(file ? [{ text: file, keeps: false }] : [])]) {
      this.#nested(text)
      if (!keeps) this.#cwd = cwd
    }
  }

  #write(command: Command): void {
    const text = this.#outputs.get(command) ?? (command.name === 'cat' ? command.input : undefined)
    const file = command.redirects.find(({ operator }) => operator.startsWith('>'))?.target
    if (text === undefined || file === undefined) return
    const name = posix.basename(file)
    this.#files.set(name, `${this.#files.get(name) ?? ''}\n${text}`)
  }

  /** `own`: it stays set in this shell. */
  #assigned(key: string, value: string, where: 'own' | 'other'): void {
    if (where === 'own') this.#set(key, [value])
    const text = carriedByVariable(key, value)
    if (text !== undefined) this.#nested(text)
  }

  #nested(text: string): void {
    this.#depth++
    this.run(this.#reading(text))
    this.#depth--
  }

  #assign({ name, args, input }: Command): void {
    if (name === 'set') this.#positional(args)
    if (name === 'for' || name === 'select') this.#set(args[0] ?? '', args.slice(args[1] === 'in' ? 2 : 1))
    if (name === 'read' && input !== undefined) this.#set(args.at(-1) ?? '', [input])
    if (!/^(export|declare|local|readonly|typeset)$/.test(name)) return
    for (const word of args) {
      const [, key, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? []
      if (key !== undefined && value !== undefined) this.#set(key, [value])
    }
  }

  /** `set -- a b` */
  #positional(words: readonly string[]): void {
    const dashes = words.indexOf('--')
    if (dashes < 0) return
    const args = words.slice(dashes + 1)
    for (const name of ['@', '*']) this.#set(name, [args.join(' ')])
    for (const [at, word] of args.slice(0, 9).entries()) this.#set(String(at + 1), [word])
  }

  /** A document is not cut: whatever reads it may run all of it. */
  #document(target: readonly Part[]): string {
    const pieces = target.map((part) => (part.kind === 'text' ? part.text : expandWord([part], this).join(' ')))
    return pieces.join('')
  }

  #set(name: string, value: readonly string[]): void {
    if (value.length > MAX_VALUES || this.variables.size >= MAX_VARIABLES) this.tangled = true
    else if (name) this.variables.set(name, value)
  }

  #folder(target: string): string | undefined {
    if (target.includes(UNKNOWN) || target === '-') return undefined
    if (/^[~/]/.test(target)) return posix.normalize(target)
    return this.#cwd === undefined ? undefined : posix.join(this.#cwd, target)
  }
}

/** With `-I{}` the words take the place of the sign, else they come last. */
function withInput(given: readonly string[], input: string, wrappers: Command['wrappers']): readonly string[] {
  if (!isFed(wrappers)) return given
  const isPlaced = wrappers.flat().some((word) => word.startsWith('-I')) && given.some((word) => word.includes('{}'))
  return isPlaced ? given.map((word) => word.replaceAll('{}', UNKNOWN)) : [...given, ...input.trim().split(/\s+/)]
}

/** `"$@"`, `$*`, `$1` in the place of the command. */
function isArguments({ words: [first] }: Node): boolean {
  const [part, ...more] = (first ?? []).filter((each) => each.kind !== 'text' || each.text !== '')
  return part?.kind === 'variable' && !more.length && /^[@*1-9]$/.test(part.name) && part.rest === ''
}

/** `f(){ f|f& }` and `f(){ f & f; }`. */
function callsItself(body: string, earlier: readonly string[], now: readonly string[], node: Node): boolean {
  if (now[0] !== body.toLowerCase() || earlier[0] !== now[0]) return false
  return node.piped || node.background || earlier[1] === '&'
}
