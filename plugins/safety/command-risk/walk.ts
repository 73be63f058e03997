/** Follows what a shell would do with a script, command by command, without running anything. */
import { posix } from 'node:path'
import { type ExpansionContext, expandWord, UNKNOWN } from './expand.ts'
import { type Dialect, readText } from './grammar.ts'
import { mayWrite } from './may-write.ts'
import { carriedByVariable, fileRun, nestedTexts, quote, reportsText } from './nested.ts'
import { predictOutput } from './output.ts'
import { absolutePath } from './paths.ts'
import { noteEffects } from './renaming.ts'
import { handlesText, type Inner, innerCommands, isRunner } from './runners.ts'
import { detectLanguage, scriptTexts } from './script-files.ts'
import type { Node, Part, Reading } from './shell-nodes.ts'
import type { ShellState } from './shell-state.ts'
import { callsItself, destination, isArguments, measureInner, withInput } from './walk-words.ts'
import { isPowerName } from './watched.ts'
import { getProgramName, unwrap } from './wrappers.ts'

/** One command as it would be run. Parts that cannot be known hold `UNKNOWN`. */
export interface Command {
  /** The program: the file name alone, lower-case. */
  readonly name: string
  /** The program as it is written. */
  readonly program: string
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
  /** False for words that look like a command and may be something else. */
  readonly isCertain: boolean
  /** Its code is in a written file, not on the command line. */
  readonly isFile?: true
  /** Variables that are set for it or in it. */
  readonly assigned: readonly (readonly [name: string, value: string])[]
}

/** What a walk starts from. */
export interface Start {
  readonly cwd: string
  readonly home: string
  readonly dialect: Dialect
  readonly variables: ReadonlyMap<string, readonly string[]>
  readonly state: ShellState
  /** Texts of files that were written and are run, by absolute path. */
  readonly files: ReadonlyMap<string, string>
  /** How many characters may be read and made. */
  readonly limit: number
}

/** Commands after which a text counts as unreadable. */
export const MAX_COMMANDS = 300
const MAX_TEXTS = 12
const MAX_RUNNERS = 3
const MAX_VALUES = 64
const MAX_VARIABLES = 500
/** Options by which interpreters take code. */
const CODE_OPTIONS: Readonly<Record<string, string>> = { python: '-c', php: '-r' }

export class Walk implements ExpansionContext {
  readonly commands: Command[] = []
  readonly variables: Map<string, readonly string[]>
  readonly read: Map<string, string> = new Map()
  readonly state: ShellState
  /** Files that the script runs and that were written: their texts should be in `files`. */
  readonly runs: Set<string> = new Set()
  tangled = false
  forkBomb = false
  /** A command that runs may change files; also one that is left out of `commands` because it only makes up a text. */
  writes = false
  work = 0
  cwd: string | undefined
  readonly #start: Start
  #isSpent = false
  #depth = 0
  #guesses = 0
  /** Texts around this one that may be no commands at all. */
  #prose = 0
  #dialect: Dialect
  #outputs: Map<Command, string | undefined> = new Map()
  #active: Set<string> = new Set()
  #seen: Set<string> = new Set()

  constructor(start: Start) {
    this.#start = start
    this.#dialect = start.dialect
    this.cwd = start.cwd
    this.state = start.state.copy()
    this.variables = new Map(start.variables)
  }

  run({ nodes, tangled }: Pick<Reading, 'nodes' | 'tangled'>): Command | undefined {
    this.tangled ||= tangled
    let last: Command | undefined
    let body: string | undefined
    let earlier: readonly string[] = []
    for (const node of nodes) {
      if (this.#isFull()) break
      if (node.defines !== undefined) {
        body = node.defines
        this.state.note(this.state.functions, getProgramName(body), node.body ?? '')
        continue
      }
      last = this.#command(node, node.piped ? last : undefined)
      const name = last ? [last.name] : []
      if (body !== undefined && callsItself(body, earlier, name, node)) this.forkBomb = true
      earlier = node.background ? [...name, '&'] : name
    }
    return last
  }

  #isFull(): boolean {
    const isFull = this.commands.length >= MAX_COMMANDS || this.#isSpent
    this.tangled ||= isFull
    return isFull
  }

  tooMuch(): void {
    this.tangled = true
  }

  spend(characters: number): boolean {
    this.#isSpent ||= this.work + characters > this.#start.limit
    this.tangled ||= this.#isSpent
    if (!this.#isSpent) this.work += characters
    return !this.#isSpent
  }

  refers(name: string): void {
    this.read.set(name, this.variables.get(name)?.join('\n') ?? '')
  }

  output(part: Extract<Part, { kind: 'script' }>): string | undefined {
    const cwd = this.cwd
    const before = this.commands.length
    const last = this.run({ nodes: part.script, tangled: false })
    this.cwd = cwd
    const text = last && this.#outputs.get(last)
    // A command that only makes up a text is not one that is run for its effect.
    if (text !== undefined && part.as === 'text')
      for (const each of this.commands.splice(before)) if (!reportsText(each.name)) this.commands.push(each)
    return text?.trimEnd()
  }

  inner(text: string): string {
    if (!/[$`]/.test(text)) return text
    const { nodes, tangled } = this.#reading(`x=${text}`, 'posix')
    this.tangled ||= tangled
    const [node] = nodes
    return (
      node?.words
        .flatMap((word) => expandWord(word, this))
        .join(' ')
        .slice(2) ?? ''
    )
  }

  #reading(text: string, dialect: Dialect): Reading {
    if (!this.spend(text.length) || this.#depth > MAX_TEXTS) {
      this.tangled = true
      return { nodes: [], comments: [], operators: true, tangled: true }
    }
    return readText(text, dialect, this.#depth)
  }

  #command(node: Node, from: Command | undefined): Command | undefined {
    const words = node.words.flatMap((word) => expandWord(word, this))
    const redirects = node.redirects.map(({ operator, target }) => ({
      operator,
      target: operator === '<<' ? this.#document(target) : expandWord(target, this).join(' '),
    }))
    return this.#execute(words, { redirects, from, isArguments: isArguments(node), isCertain: this.#guesses === 0 })
  }

  #execute(
    words: readonly string[],
    {
      redirects,
      from,
      isArguments,
      isCertain,
    }: Pick<Command, 'redirects' | 'from' | 'isCertain'> & {
      readonly isArguments: boolean
    },
  ): Command | undefined {
    const { words: inner, wrappers, assigned } = unwrap(words)
    for (const [key, value] of assigned) this.#assigned(key, value, inner.length && wrappers.length ? 'other' : 'own')
    if (!inner.some((word) => word !== '') && !redirects.length && !assigned.length && !isArguments) return undefined
    // In a function, `"$@"` runs whatever the function is given.
    const [word = '', ...given] = inner.some((each) => each !== '') || !isArguments ? inner : [UNKNOWN]
    const input = this.#readInput(redirects, from)
    const args = withInput(given, input ?? UNKNOWN, wrappers)
    const name = word.includes(UNKNOWN) ? getProgramName(word) || UNKNOWN : getProgramName(word)
    const command = { name, program: word, args, redirects, wrappers, input, from, cwd: this.cwd, isCertain, assigned }
    this.commands.push(command)
    this.writes ||= isCertain && mayWrite(command)
    // A wrapper may be given a whole text.
    if (wrappers.length && /\s/.test(word)) this.#nested([word, ...args.map(quote)].join(' '), 'posix')
    this.#outputs.set(command, wrappers.length ? undefined : this.#printed(command))
    this.#effects(command)
    noteEffects(command, this.state, { home: this.#start.home, printed: this.#outputs.get(command) })
    return command
  }

  #readInput(redirects: Command['redirects'], from: Command | undefined): string | undefined {
    const document = redirects.find(({ operator }) => operator === '<<' || operator === '<<<')
    return document?.target ?? (from && this.#outputs.get(from))
  }

  #printed({ name, args, input }: Command): string | undefined {
    if (!this.spend(args.reduce((sum, word) => sum + word.length, input?.length ?? 0))) return undefined
    const text = predictOutput(name, args, input)
    return this.spend(text?.length ?? 0) ? text : undefined
  }

  /** What a command changes for those after it, and the texts it runs. */
  #effects(command: Command): void {
    this.#assign(command)
    const { name, args } = command
    if (/^(cd|pushd|chdir|set-location|sl|push-location)$/.test(name)) this.cwd = this.#folder(destination(args))
    const cwd = this.cwd
    for (const { text, keeps, dialect } of nestedTexts(command)) {
      this.#nested(text, dialect ?? (keeps ? this.#dialect : 'posix'))
      if (!keeps) this.cwd = cwd
    }
    this.#renamed(command)
    this.#files(command)
    this.cwd = name === 'cd' || name === 'pushd' ? cwd : this.cwd
    this.#runnerWords(command)
  }

  /** A function, an alias, a copy of a program under another name. */
  #renamed(command: Command): void {
    const { name, program, args, cwd } = command
    const body = this.state.functions.get(name)
    if (body !== undefined && body !== '' && !this.#active.has(name)) this.#call(name, body, args)
    const text = this.state.aliases.get(program) ?? this.state.aliases.get(name)
    if (text !== undefined && !this.#active.has(`alias ${name}`)) {
      this.#active.add(`alias ${name}`)
      this.#nested([text, ...args.map(quote)].join(' '), this.#dialect)
      this.#active.delete(`alias ${name}`)
    }
    const path = program.includes('/') ? absolutePath(program, cwd, this.#start.home) : program
    const meant = this.state.programs.get(path ?? program) ?? this.state.programs.get(name)
    if (meant === undefined || meant === name || this.#active.has(`program ${name}`)) return
    this.#active.add(`program ${name}`)
    this.#execute([...meant.split(' '), ...args], { ...command, isArguments: false })
    this.#active.delete(`program ${name}`)
  }

  #call(name: string, body: string, args: readonly string[]): void {
    const before = ['@', '*', ...'123456789'].map((key) => [key, this.variables.get(key)] as const)
    this.#positional(['--', ...args])
    this.#active.add(name)
    this.#nested(body, this.#dialect)
    this.#active.delete(name)
    for (const [key, value] of before) {
      if (value) this.variables.set(key, value)
      else this.variables.delete(key)
    }
  }

  /** Scripts that the session wrote. */
  #files(command: Command): void {
    for (const word of fileRun(command)) {
      const path = absolutePath(word, command.cwd, this.#start.home)
      const known = path !== undefined && this.state.written.get(path)
      if (path === undefined || known === undefined || known === false || this.#active.has(path)) continue
      this.#active.add(path)
      const text = this.#start.files.get(path) ?? (known || undefined)
      if (known === '' || this.#start.files.has(path)) this.runs.add(path)
      const cwd = this.cwd
      if (text !== undefined) this.#script(text, path, command)
      this.cwd = cwd
      this.#active.delete(path)
    }
  }

  #script(text: string, path: string, command: Command): void {
    const language = detectLanguage(text, path, command.name)
    if (language === undefined) {
      for (const nested of scriptTexts(text, path, command)) this.#nested(nested.text, nested.dialect ?? 'posix')
    } else if (this.spend(text.length)) {
      // Judged as code that is given on the command line.
      const args = [Object.hasOwn(CODE_OPTIONS, language) ? (CODE_OPTIONS[language] as string) : '-e', text]
      this.commands.push({ ...command, name: language, args, input: undefined, isFile: true })
    }
  }

  /** The general rule: tails and words with blanks. */
  #runnerWords(command: Command): void {
    const { name, args } = command
    if (handlesText(name) || this.state.functions.has(name) || this.#depth > MAX_RUNNERS) return
    for (const inner of innerCommands(name, args, () => this.tooMuch())) {
      if (this.#isFull() || !this.spend(measureInner(inner))) break
      if (this.#isNew(inner)) this.#guess(inner, command)
    }
  }

  /** The same words in the same folder add nothing, and an everyday word in a sentence is not a command. */
  #isNew({ words, text }: Inner): boolean {
    const key = `${this.cwd} ${text ?? words?.join('\u0000')}`
    if (this.#seen.has(key) || (this.#prose > 0 && isPowerName(words?.[0] ?? ''))) return false
    this.#seen.add(key)
    return true
  }

  #guess({ words, text, isCertain }: Inner, { name, from }: Command): void {
    const [cwd, guesses, prose] = [this.cwd, this.#guesses, this.#prose]
    if (!isCertain) this.#guesses++
    if (!isCertain && text !== undefined) this.#prose++
    this.#depth++
    const isSure = this.#guesses === 0 && (isRunner(name) || isCertain)
    if (words) this.#execute(words, { redirects: [], from, isArguments: false, isCertain: isSure })
    this.#depth--
    if (text !== undefined) this.#nested(text, 'posix')
    this.#guesses = guesses
    this.#prose = prose
    this.cwd = cwd
  }

  /** `own`: it stays set in this shell. */
  #assigned(key: string, value: string, where: 'own' | 'other'): void {
    if (where === 'own') this.#set(key, [value])
    const text = carriedByVariable(key, value)
    if (text !== undefined) this.#nested(text, 'posix')
  }

  #nested(text: string, dialect: Dialect): void {
    const before = this.#dialect
    this.#dialect = dialect
    this.#depth++
    this.run(this.#reading(text, dialect))
    this.#depth--
    this.#dialect = before
  }

  #assign({ name, args, input }: Command): void {
    if (name === 'set') this.#assignSet(args)
    if (name === 'for' || name === 'select') this.#set(args[0] ?? '', args.slice(args[1] === 'in' ? 2 : 1))
    if (name === 'read' && input !== undefined) this.#set(args.at(-1) ?? '', [input])
    if (/^(export|declare|local|readonly|typeset)$/.test(name)) this.#declared(args)
  }

  #declared(args: readonly string[]): void {
    for (const word of args) {
      const [, key, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? []
      if (key !== undefined && value !== undefined) this.#assigned(key, value, 'own')
    }
  }

  /** `set -- a b`, and in fish `set -gx NAME value`. */
  #assignSet(args: readonly string[]): void {
    if (this.#dialect !== 'fish') {
      this.#positional(args)
      return
    }
    const [name = '', ...values] = args.filter((word) => !/^-[a-zA-Z]+$/.test(word))
    if (values.length) this.#assigned(name, values.join(' '), 'own')
  }

  /** `set -- a b` */
  #positional(words: readonly string[]): void {
    const dashes = words.indexOf('--')
    if (dashes < 0) return
    const args = words.slice(dashes + 1)
    for (const name of ['@', '*', 'argv', 'args']) this.#set(name, [args.join(' ')])
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
    return this.cwd === undefined ? undefined : posix.join(this.cwd, target)
  }
}
