/** The words of a command against what is known of its program. */
import type { Kind, Known, Operand, OptionShape } from './programs.ts'
import { ANY, type Argument } from './values.ts'

/** Options and operands apart. */
export interface Call {
  readonly given: ReadonlyMap<string, readonly string[]>
  readonly operands: readonly string[]
  /** Each value with its kind, to be checked. */
  readonly values: readonly (readonly [kind: Kind, value: string, of: string])[]
  /** What is not known, for people. */
  readonly unknown: readonly string[]
}

/** Takes arguments apart. `until`: stops at the first operand, which begins the command or the verb of a program. */
export function readCall(
  known: Known,
  args: readonly Argument[],
  until: 'end' | 'operand' = 'end',
): Call & { readonly end: number } {
  const reader = new CallReader(known)
  const end = reader.read(args, until)
  return { given: reader.given, operands: reader.operands, values: reader.values, unknown: reader.unknown, end }
}

class CallReader {
  readonly given = new Map<string, string[]>()
  readonly operands: string[] = []
  readonly values: [Kind, string, string][] = []
  readonly unknown: string[] = []
  readonly #known: Known
  #args: readonly Argument[] = []
  #at = 0

  constructor(known: Known) {
    this.#known = known
  }

  read(args: readonly Argument[], until: 'end' | 'operand'): number {
    this.#args = args
    let isOpen = true
    for (; this.#at < args.length; this.#at++) {
      const { text, loose } = args[this.#at] as Argument
      if (loose) this.unknown.push(`a word of ${this.#known.name} that is not known before it runs`)
      if (isOpen && text === '--') isOpen = false
      else if (isOpen && text.length > 1 && /^[-+]/.test(text) && this.#option(text)) continue
      else if (until === 'operand') return this.#at
      else this.#operand(text, isOpen)
    }
    this.#sort()
    return this.#at
  }

  #operand(text: string, isOpen: boolean): void {
    // Such a word could turn out to be an option.
    if (isOpen && text.startsWith(ANY))
      this.unknown.push(`a word of ${this.#known.name} that is not known before it runs`)
    this.operands.push(text)
  }

  /** False when it is an operand after all. */
  #option(text: string): boolean {
    if (text.startsWith('+') && !this.#known.flags.has('plus')) return false
    const equals = text.indexOf('=')
    const name = equals > 0 ? text.slice(0, equals) : text
    const shape = this.#known.options.get(name)
    if (
      shape &&
      (name.startsWith('--') || this.#known.flags.has('long') || text.length === 2 || (equals > 0 && name.length > 2))
    )
      this.#take(name, shape, equals > 0 ? text.slice(equals + 1) : undefined)
    else if (/^--(?:help|version)$/.test(text)) this.#note(name, '')
    else if (!this.#prefixed(text) && !this.#letters(text))
      this.unknown.push(`the option ${name.replaceAll(ANY, '?')} of ${this.#known.name}`)
    return true
  }

  #take(name: string, { value, kind }: OptionShape, joined: string | undefined): void {
    const needsNext = value === 'required' && joined === undefined
    const next = needsNext ? this.#args[++this.#at] : undefined
    if (next?.loose) this.unknown.push(`a word of ${this.#known.name} that is not known before it runs`)
    if ((needsNext && next === undefined) || (value === 'none' && joined !== undefined))
      this.unknown.push(`the option ${name} of ${this.#known.name} as it is used`)
    const given = next?.text ?? joined
    this.#note(name, given ?? '')
    if (given !== undefined && value !== 'none') this.values.push([kind, given, name])
  }

  #note(name: string, value: string): void {
    this.given.set(name, [...(this.given.get(name) ?? []), value])
  }

  #prefixed(text: string): boolean {
    const found = this.#known.prefixes.find(([prefix]) => text.startsWith(prefix) && text.length > prefix.length)
    if (!found) return false
    this.#note(found[0], text.slice(found[0].length))
    this.values.push([found[1], text.slice(found[0].length), found[0]])
    return true
  }

  /** `-rn`, `-n5`, `-5`. */
  #letters(text: string): boolean {
    if (/^-\d+$/.test(text) && this.#known.options.has('-#')) return true
    if (text.startsWith('--') || this.#known.flags.has('long')) return false
    for (let at = 1; at < text.length; at++) {
      const name = `-${text[at]}`
      const shape = this.#known.options.get(name)
      if (!shape) return false
      if (shape.value === 'none') this.#note(name, '')
      else {
        const rest = text.slice(at + 1)
        this.#take(name, shape, rest === '' && shape.value === 'required' ? undefined : rest)
        return true
      }
    }
    return true
  }

  /** Gives each operand its kind. */
  #sort(): void {
    const kinds = this.#known.operands.filter(({ unless }) => !unless.some((option) => this.given.has(option)))
    const many = kinds.findIndex((kind) => kind.many)
    const after = many < 0 ? 0 : kinds.length - many - 1
    for (const [at, text] of this.operands.entries()) {
      const fromEnd = this.operands.length - at
      const kind: Operand | undefined =
        many < 0 || at < many ? kinds[at] : fromEnd <= after ? kinds[kinds.length - fromEnd] : kinds[many]
      if (!kind || kind.kind === 'none')
        this.unknown.push(`the word ${text.replaceAll(ANY, '?')} of ${this.#known.name}`)
      else this.values.push([kind.kind, text, ''])
    }
  }
}
