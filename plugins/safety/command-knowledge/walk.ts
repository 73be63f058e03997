/** Follows a script through its structure: what each command finds when it begins, and whether it is understood. */
import { statSync } from 'node:fs'
import { readCall } from './call.ts'
import { findPower } from './environment.ts'
import { readScript } from './grammar.ts'
import { type Invocation, mergeStates, type Outcome, same, type World } from './outcome.ts'
import { findKnown, findVerb, type Kind, type Known } from './programs.ts'
import { registryHost } from './remotes.ts'
import { RULES } from './rules.ts'
import { type Chain, type Command, type List, NotUnderstood, type Pipeline, type Redirect } from './syntax.ts'
import { gitFolder } from './trust.ts'
import { ANY, type Argument, expand, expandText, PATHS, type State, TOKEN } from './values.ts'

const MAX_STEPS = 3000
const MAX_NESTED = 6

export class Walk {
  readonly unknown = new Set<string>()
  readonly needs = new Set<string>()
  readonly world: World
  /** What the last command printed, and what the command before in a pipeline did. */
  printed: string = ANY
  #input: string = ANY
  #steps = 0
  #depth = 0

  constructor(world: World) {
    this.world = world
  }

  refuse(phrase: string): void {
    this.unknown.add(phrase.replace(/[\ue000-\ue002]/g, '...'))
  }

  check(phrase: string | undefined): void {
    if (phrase !== undefined) this.refuse(phrase)
  }

  need(...needs: readonly string[]): void {
    for (const each of needs) this.needs.add(each)
  }

  /** A text that a program passes to a shell: a script of package.json. */
  text(text: string, state: State): void {
    if (++this.#depth > MAX_NESTED) throw new NotUnderstood('scripts that call each other too deeply')
    this.list(readScript(text), [state])
    this.#depth--
  }

  list(list: List, states: readonly State[]): readonly State[] {
    let now = states
    for (const chain of list) {
      const { yes, no } = this.#chain(chain, now)
      if (!chain.background) now = mergeStates([...yes, ...no])
      // Nothing runs after `exit`, but it is judged as well.
      if (!now.length) now = states
    }
    if (list.length !== 1) this.printed = ANY
    return now
  }

  #chain({ first, more }: Chain, states: readonly State[]): Outcome {
    let { yes, no } = this.#pipeline(first, states)
    for (const [operator, pipeline] of more) {
      const isAnd = operator === '&&'
      const next = this.#reached(pipeline, isAnd ? yes : no, states)
      yes = isAnd ? next.yes : mergeStates([...yes, ...next.yes])
      no = isAnd ? mergeStates([...no, ...next.no]) : next.no
      this.printed = ANY
    }
    return { yes, no }
  }

  /** Unreachable code is judged as well. */
  #reached(pipeline: Pipeline, from: readonly State[], otherwise: readonly State[]): Outcome {
    const next = this.#pipeline(pipeline, from.length ? from : otherwise)
    return from.length ? next : { yes: [], no: [] }
  }

  #pipeline(commands: Pipeline, states: readonly State[]): Outcome {
    const [only, ...others] = commands
    const outer = this.#input
    if (only && !others.length) return this.#command(only, states)
    let last: Outcome = { yes: states, no: states }
    for (const command of commands) {
      last = this.#command(command, states)
      this.#input = this.printed
    }
    this.#input = outer
    // Some shells run the last one themselves, others none.
    const after = mergeStates([...states, ...last.yes, ...last.no])
    return { yes: after, no: after }
  }

  #command(command: Command, states: readonly State[]): Outcome {
    if (this.#steps++ > MAX_STEPS) throw new NotUnderstood('very many commands')
    if (command.kind === 'simple') return this.#simple(command, states)
    for (const state of states) for (const redirect of command.redirects) this.#redirect(redirect, state)
    const after = this.#compound(command, states)
    if (command.kind !== 'group') this.printed = ANY
    return { yes: after, no: after }
  }

  #compound(command: Exclude<Command, { kind: 'simple' }>, states: readonly State[]): readonly State[] {
    if (command.kind === 'group') {
      const after = this.list(command.list, states)
      return command.own ? states : after
    }
    if (command.kind === 'for') return this.#for(command, states)
    if (command.kind === 'case') {
      for (const state of states) expandText(command.word, this.#around(state))
      return mergeStates([...states, ...command.branches.flatMap((branch) => this.list(branch, states))])
    }
    if (command.kind === 'while') return this.#while(command, states)
    let now = states
    const ends: State[] = []
    for (const [condition, body] of command.branches) {
      now = this.list(condition, now)
      ends.push(...this.list(body, now))
    }
    return mergeStates([...ends, ...now, ...this.list(command.otherwise, now)])
  }

  #for({ name, words, body }: Extract<Command, { kind: 'for' }>, states: readonly State[]): readonly State[] {
    let all = states
    for (const state of states) {
      const values = words.flatMap((word) => expand(word, this.#around(state)))
      const distinct = [...new Set(values.map(({ text }) => text))]
      if (distinct.length > 300) throw new NotUnderstood('a loop over very many words')
      let now: readonly State[] = [state]
      for (const value of distinct) {
        now = this.list(
          body,
          now.map((each) => this.assign(each, name, value)),
        )
        all = mergeStates([...all, ...now])
      }
    }
    return all
  }

  #while({ condition, body }: Extract<Command, { kind: 'while' }>, states: readonly State[]): readonly State[] {
    let all = states
    for (let round = 0; ; round++) {
      const next = mergeStates([...all, ...this.list(body, this.list(condition, all))])
      if (next.length === all.length) return next
      if (round > 3) throw new NotUnderstood('a loop that changes its folder or its variables each time')
      all = next
    }
  }

  #simple({ assigns, words, redirects }: Extract<Command, { kind: 'simple' }>, states: readonly State[]): Outcome {
    const outcomes = states.map((state) => {
      this.printed = ANY
      const around = this.#around(state)
      const args = words.flatMap((word) => expand(word, around))
      const values = assigns.map(({ name, value }) => [name, expandText(value, around)] as const)
      for (const redirect of redirects) this.#redirect(redirect, state)
      this.printed = ANY
      if (!words.length) return same(values.reduce((now, [name, value]) => this.assign(now, name, value), state))
      for (const [name, value] of values) this.check(findPower(name, value))
      const before = this.#input
      if (redirects.some(({ operator }) => operator.startsWith('<'))) this.#input = ANY
      const outcome = this.run(args, state, new Map(values))
      this.#input = before
      return outcome
    })
    return { yes: mergeStates(outcomes.flatMap(({ yes }) => yes)), no: mergeStates(outcomes.flatMap(({ no }) => no)) }
  }

  assign(state: State, name: string, value: string): State {
    this.check(findPower(name, value))
    return { ...state, variables: new Map(state.variables).set(name, value) }
  }

  #around(state: State) {
    return {
      state,
      refuse: (phrase: string) => this.refuse(phrase),
      output: (list: List, as: 'text' | 'file') => {
        const [input, printed] = [this.#input, this.printed]
        this.#input = ANY
        this.printed = ANY
        this.list(list, [state])
        const made = this.printed
        ;[this.#input, this.printed] = [input, printed]
        return as === 'file' ? '/dev/stdin' : made
      },
    }
  }

  #redirect({ operator, target }: Redirect, state: State): void {
    const text = expandText(target, this.#around(state))
    if (operator.startsWith('<<') || (/^[<>]&$/.test(operator) && /^(?:\d|-)$/.test(text))) return
    if (/[*?[]|^~/.test(text) && !text.startsWith('/')) this.refuse(`the redirect to ${text}`)
    if (operator.startsWith('<')) this.check(this.world.paths.read(text, state.cwd))
    else this.write(text, state)
  }

  write(path: string, state: State): void {
    this.check(this.world.paths.write(path, state.cwd))
    if (path !== PATHS && !path.includes(ANY)) this.world.wrote(this.world.paths.real(path, state.cwd))
  }

  /** One command. */
  run(args: readonly Argument[], state: State, assigned: ReadonlyMap<string, string> = new Map()): Outcome {
    const [first, ...rest] = args
    if (!first || first.text === '') return same(state)
    if (
      first.loose ||
      (first.pattern !== undefined && !/^\[\[?$/.test(first.text)) ||
      /[\ue000-\ue002]/.test(first.text)
    ) {
      this.refuse('a program whose name is made up while it runs')
      return same(state)
    }
    const name = this.#program(first.text, rest, state)
    const known = name === undefined ? undefined : findKnown(name)
    if (name !== undefined && !known) this.refuse(`the program ${first.text}`)
    return known ? this.invoke(known, first.text, rest, state, assigned) : same(state)
  }

  /** The name that the tables know; undefined for a script of the project, which is judged here. */
  #program(word: string, rest: readonly Argument[], state: State): string | undefined {
    if (!word.includes('/')) return word
    const name = word.slice(word.lastIndexOf('/') + 1)
    if (/^(?:\/usr(?:\/local)?|\/opt\/homebrew)?\/s?bin\/[^/]+$/.test(word)) return name
    const real = this.world.paths.real(word, state.cwd)
    const isInstalled = /(?:^|\/)(?:node_modules\/\.bin|vendor\/bin|\.?venv\/bin)\/[^/]+$/.test(word)
    if (isInstalled && findKnown(name) && !word.startsWith('/')) {
      if (word.split('/').includes('..')) this.refuse(`the program ${word}`)
      return name
    }
    this.script(word, state)
    if (/^(?:gradlew|mvnw|rails|rake|rspec|bundle)$/.test(name) && this.world.paths.isInProject(real)) return name
    this.checkAll('arg', rest, state)
    return undefined
  }

  /** A file that is run. */
  script(path: string, state: State): void {
    const real = this.world.paths.real(path, state.cwd)
    if (/[\ue000-\ue002]/.test(path)) this.refuse('a script that is not known before it runs')
    else if (!this.world.paths.isInProject(real)) this.refuse(`a script outside the project: ${path}`)
    else if (!statSync(real, { throwIfNoEntry: false })?.isFile())
      this.refuse(`the script ${path}, which does not exist`)
    else if (!this.world.isTrusted(real)) this.refuse(`the script ${path}, which may have been changed in this session`)
  }

  checkAll(kind: Kind, args: readonly Argument[], state: State): void {
    for (const { text, loose } of args) {
      if (loose) this.refuse('a word that is not known before it runs')
      this.accept(kind, text, state, '')
    }
  }

  invoke(
    known: Known,
    program: string,
    args: readonly Argument[],
    state: State,
    assigned: ReadonlyMap<string, string>,
  ): Outcome {
    if (known.flags.has('any')) return same(state)
    const isVerbed = findVerb(known.name, args) !== undefined
    const wrapper = known.rule !== undefined && RULES[known.rule]?.own === true
    const call = wrapper
      ? { given: new Map<string, string[]>(), operands: [], values: [], unknown: [], end: 0 }
      : readCall(known, args, known.operands.length === 0 || isVerbed ? 'operand' : 'end')
    for (const phrase of call.unknown) this.refuse(phrase)
    for (const [kind, value, of] of call.values) this.accept(kind, value, state, of)
    this.need(...known.needs.map((need) => this.#meant(need)))
    for (const file of known.code) this.#code(file, state)
    const port = [...known.flags].find((flag) => flag.startsWith('port='))
    if (port && ![...call.given.keys()].some((name) => /^(?:-p|-P|--port|--server\.port)$/.test(name)))
      this.need(`port:${assigned.get('PORT') ?? state.variables.get('PORT') ?? port.slice(5)}`)
    const invocation = {
      known,
      program,
      args,
      given: call.given,
      operands: call.operands,
      state,
      assigned,
      input: this.#input,
    }
    this.printed = this.#prints(known, state)
    const outcome = known.rule === undefined ? undefined : RULES[known.rule]?.run(this, invocation)
    if (known.rule !== undefined && !RULES[known.rule]) this.refuse(`the program ${known.name}`)
    if (outcome) return outcome
    return this.#verb(invocation, call.end, wrapper) ?? same(state)
  }

  /** Continues with the verb, where the program has verbs. */
  #verb({ known, program, args, state, assigned }: Invocation, end: number, isDone: boolean): Outcome | undefined {
    const verb = args[end]
    if (isDone || (known.operands.length > 0 && findVerb(known.name, args.slice(end)) === undefined)) return undefined
    if (!verb) {
      const isQuestion =
        args.some(({ text }) => /^(?:--?version|-[vV]|--?help|-h|--list|--info|help)$/.test(text)) ||
        known.flags.has('bare')
      if (!isQuestion && known.rule !== 'packages') this.refuse(`${known.name} without a command`)
      return undefined
    }
    const deeper = findVerb(known.name, args.slice(end))
    if (deeper) return this.invoke(deeper, program, args.slice(end + 1), state, assigned)
    this.refuse(`the command ${known.name} ${verb.text}`)
    return undefined
  }

  #prints(known: Known, state: State): string {
    if (known.prints === 'same') return this.#input
    if (known.prints === 'cwd') return state.cwd
    if (known.prints === 'paths' || known.prints === 'names') return PATHS
    return known.prints ? TOKEN : ANY
  }

  #meant(need: string): string {
    if (need === 'registry') return `network:${registryHost(this.world.paths.project)}`
    return need === 'pypi' ? 'network:pypi.org' : need
  }

  /** A file of the project that the program runs, if there is one. */
  #code(file: string, state: State): void {
    const real = this.world.paths.real(file, state.cwd)
    const exists = statSync(real, { throwIfNoEntry: false })?.isFile() === true
    if (!this.world.isPending(real) && (!exists || this.world.isTrusted(real))) return
    this.refuse(`${file}, which may have been changed in this session`)
  }

  /** Judges one value by its kind. */
  accept(kind: Kind, value: string, state: State, of: string): void {
    const { paths } = this.world
    const name = of === '' ? 'a word' : `the value of ${of}`
    const judges: Partial<Record<Kind, () => void>> = {
      read: () => this.check(value === '-' ? undefined : paths.read(value, state.cwd)),
      write: () => value === '-' || this.write(value, state),
      number: () =>
        this.check(
          /^[+-]?[\d.,:]*[a-zA-Z%]{0,3}$/.test(value.replaceAll(TOKEN, '1')) ? undefined : `${name}: ${value}`,
        ),
      script: () => this.script(value, state),
      config: () => this.#config(value, state),
      port: () => (/^\d+$/.test(value) ? this.need(`port:${value}`) : this.refuse(`${name}: ${value}`)),
      arg: () => this.#argument(value, state),
      code: () => value.split(/[:;]/).forEach((part) => void this.#inside(part, state)),
      text: () => undefined,
    }
    if (kind === 'none' || kind === 'never') this.refuse(`${name}: ${value}`)
    const unknown = () => value.includes(ANY) && of === '' && this.refuse('a word that is not known before it runs')
    ;(judges[kind] ?? unknown)()
  }

  #config(value: string, state: State): void {
    const { paths } = this.world
    this.check(paths.read(value, state.cwd))
    if (!paths.isInProject(paths.real(value, state.cwd))) this.refuse(`a file outside the project: ${value}`)
    else this.#code(value, state)
  }

  /** A word that may be a path. */
  #argument(value: string, state: State): void {
    if (value.includes(ANY)) {
      this.refuse('a word that is not known before it runs')
      return
    }
    for (const part of [value, value.slice(value.indexOf('=') + 1)]) {
      if (/^[a-z+]+:\/\//i.test(part)) {
        if (!/^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?(?:\/|$)/.test(part)) this.refuse(`the address ${part}`)
      } else if (
        /^[/~]|(?:^|[/])\.\.(?:\/|$)|^\.env/.test(part) ||
        isFile(this.world.paths.real(part || '.', state.cwd))
      )
        this.#inside(part, state)
    }
  }

  /** A path in the project, not merely one that may be read: it could be run. */
  #inside(path: string, state: State): void {
    this.check(this.world.paths.read(path, state.cwd))
    const isKnown = /^(?:\ue002|\/dev\/(?:null|stdin|stdout))$/.test(path)
    if (!isKnown && !this.world.paths.isInProject(this.world.paths.real(path, state.cwd)))
      this.refuse(`a path outside the project: ${path}`)
  }

  /** The words after a wrapper. */
  inner(args: readonly Argument[], { state, assigned }: Invocation): Outcome {
    if (!args.length) this.refuse('a command that is not given')
    return this.run(args, state, assigned)
  }

  /** The git folder that a command in this state uses. */
  git(state: State) {
    return gitFolder(state.cwd)
  }
}

function isFile(path: string): boolean {
  return path.length < 4000 && !path.includes('\0') && statSync(path, { throwIfNoEntry: false }) !== undefined
}
