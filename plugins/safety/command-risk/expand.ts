/** What words become when the shell expands them, as far as it can be known without running anything. */
import type { Part } from './shell-nodes.ts'

/** Stands for text that only running the command would tell. */
export const UNKNOWN = '\uE000'

/** Whether a text has a part that only running the command would tell. */
export function isUnknown(text: string): boolean {
  return text.includes(UNKNOWN)
}

/** What expanding needs of the script around it. */
export interface ExpansionContext {
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Told of every variable that is read. */
  refers(name: string): void
  /** Known output of a nested script, or undefined. Its commands are noted on the way. */
  output(part: Extract<Part, { kind: 'script' }>): string | undefined
  /** Parses the text in braces: a default value may contain a script. */
  inner(text: string): string
  /** Told when something was left out because there is too much of it. */
  tooMuch(): void
  /** Pays for characters that are made; false, and then none may be made, when there were too many. */
  spend(characters: number): boolean
}

const MAX_WORDS = 64
const MAX_LENGTH = 32_768
/** Variables that stand for a program of the same name. */
const PROGRAMS = 'EDITOR VISUAL PAGER PYTHON NODE CC CXX MAKE GO CARGO'
/** Variables whose values matter little but whose names tell what they hold. */
const DEFAULT_VALUES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PROGRAMS.split(' ').map((name) => [name, name.toLowerCase()])),
  HOME: '~',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  IFS: ' \t\n',
  SHELL: '/bin/bash',
  '@': '',
  '*': '',
  OLDPWD: '/home/user',
}

/** The words that one written word becomes: none for an empty expansion, several for lists and braces. */
export function expandWord(parts: readonly Part[], around: ExpansionContext): string[] {
  const done: string[] = []
  let open: readonly string[] = ['']
  let solid = false
  for (const part of parts) {
    const [first, ...more] = pieces(part, around)
    open = product(open, first ?? [''], around)
    solid ||= part.kind === 'text' && (part.quoted || part.text !== '')
    for (const piece of more) {
      done.push(...open.filter((word) => word !== ''))
      open = [...piece]
    }
  }
  done.push(...open.filter((word) => word !== '' || solid))
  if (done.length > MAX_WORDS) around.tooMuch()
  return done.slice(0, MAX_WORDS)
}

/** Every way to put one after the other, up to a limit. */
function product(left: readonly string[], right: readonly string[], around: ExpansionContext): readonly string[] {
  if (!around.spend(measureWords(left) * right.length + measureWords(right) * left.length)) return left
  const words = left.flatMap((word) => right.map((end) => word + end))
  if (words.length <= MAX_WORDS && words.every((word) => word.length <= MAX_LENGTH)) return words
  around.tooMuch()
  return words.slice(0, MAX_WORDS).map((word) => word.slice(0, MAX_LENGTH))
}

function measureWords(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.length + 1, 0)
}

/** The fields a part becomes; each is a list of alternatives. */
function pieces(part: Part, around: ExpansionContext): (readonly string[])[] {
  if (part.kind === 'text') return [part.quoted ? [part.text] : braces(part.text, around)]
  if (part.kind === 'script' && part.as === 'file') {
    around.output(part)
    return [['/dev/fd/63']]
  }
  const values = part.kind === 'script' ? [around.output(part) ?? UNKNOWN] : variable(part, around)
  const isList = part.kind === 'variable' && part.name === '@'
  if (part.quoted && !isList) return [values.length ? [...values] : ['']]
  return values.flatMap((value) => {
    const between = separators(around)
    if (!between.test(value) || !around.spend(value.length)) return [[value]]
    return value.split(between).map((word) => [word])
  })
}

/** White space, and what `IFS` was set to. */
function separators({ variables }: ExpansionContext): RegExp {
  const own = variables.get('IFS')?.join('').slice(0, MAX_WORDS) ?? ''
  return own ? new RegExp(`[\\s${own.replace(/[\\\]^-]/g, '\\$&')}]+`) : /\s+/
}

function variable(part: Extract<Part, { kind: 'variable' }>, around: ExpansionContext): readonly string[] {
  const { name, rest } = part
  if (name.startsWith('#')) return ['0']
  const values = findValues(name.startsWith('!') ? pointedAt(name.slice(1), around) : name, around)
  return rest ? modifyValues(values, rest, around) : (values ?? [UNKNOWN])
}

function modifyValues(
  values: readonly string[] | undefined,
  rest: string,
  around: ExpansionContext,
): readonly string[] {
  const inside = around.inner(/^:?[-+=?]?([\s\S]*)$/.exec(rest)?.[1] ?? '')
  return replaceValues(values, rest, inside)
}

/** `${name:-word}` and its relatives. */
function replaceValues(values: readonly string[] | undefined, rest: string, inside: string): readonly string[] {
  if (/^:?[-=]/.test(rest)) return values?.some((value) => value !== '') ? values : [inside]
  if (/^:?\+/.test(rest)) return [inside]
  if (/^:?\?/.test(rest)) return values ?? [UNKNOWN]
  return (values ?? [UNKNOWN]).map((value) => modifyValue(value, rest))
}

/** `${!name}`: the name that a variable holds. */
function pointedAt(name: string, around: ExpansionContext): string {
  return findValues(name, around)?.[0] ?? ''
}

function findValues(name: string, around: ExpansionContext): readonly string[] | undefined {
  around.refers(name)
  const known = around.variables.get(name)
  if (known) return known
  if (/^\d$/.test(name)) return name === '0' ? ['bash'] : ['']
  return Object.hasOwn(DEFAULT_VALUES, name) ? [DEFAULT_VALUES[name] as string] : undefined
}

/** `${name:0:3}`, `${name/a/b}`, `${name,,}`, `${name#x}`. */
function modifyValue(value: string, rest: string): string {
  return part(value, rest) ?? substitute(value, rest)
}

/** `${name:0:3}`; undefined when it is something else. */
function part(value: string, rest: string): string | undefined {
  const [, from, length] = /^:\s*(-?\d+)(?::\s*(-?\d+))?$/.exec(rest) ?? []
  if (from === undefined) return undefined
  const whole = value.replace(/^~/, '/home/user')
  const start = Number(from)
  const text = whole.slice(start)
  if (length === undefined) return text
  return Number(length) < 0 ? text.slice(0, Number(length)) : text.slice(0, Number(length))
}

function substitute(value: string, rest: string): string {
  const [, all, find, put = ''] = /^(\/\/?)([^/]+)(?:\/([\s\S]*))?$/.exec(rest) ?? []
  if (find !== undefined && !/[*?[\\]/.test(find)) {
    if (all !== '//') return value.replace(find, () => put)
    const found = value.split(find)
    return found.length * put.length > MAX_LENGTH ? UNKNOWN : found.join(put)
  }
  if (rest === ',,' || rest === '@L') return value.toLowerCase()
  if (rest === '^^' || rest === '@U') return value.toUpperCase()
  return /^[%#]/.test(rest) ? trimPattern(value, rest) : `${value}${UNKNOWN}`
}

/** Only what holds no pattern is taken off. */
function trimPattern(value: string, rest: string): string {
  const what = rest.replace(/^(##?|%%?)/, '')
  if (/[*?[]/.test(what)) return UNKNOWN
  if (rest.startsWith('#')) return value.startsWith(what) ? value.slice(what.length) : value
  return value.endsWith(what) ? value.slice(0, value.length - what.length) : value
}

/** `a{b,c}` as alternatives. Lists in lists are left as they are. */
function braces(text: string, around: ExpansionContext): readonly string[] {
  if (!text.includes('{')) return [text]
  let words: readonly string[] = ['']
  for (const [, plain = '', list] of text.matchAll(/([^{]+|\{(?![^{},]*,[^{}]*\}))|\{([^{}]*)\}/g))
    words = product(words, list === undefined ? [plain] : list.split(','), around)
  return words
}
