/** What words stand for: variables, substitutions, braces and patterns of files. What is not known is marked. */
import { homedir, tmpdir } from 'node:os'
import { matchFiles } from './globs.ts'
import { type List, NotUnderstood, type Piece, type Word } from './syntax.ts'

/** Any text. */
export const ANY = '\ue000'
/** One word of letters, digits and `.+_/@-` that begins with neither `-` nor `/` and holds no `..`: a number, a revision. */
export const TOKEN = '\ue001'
/** Paths of files in the project, one or several. */
export const PATHS = '\ue002'

const MAX_WORDS = 2000
/** Variables whose value is a secret more often than not. */
const SECRET =
  /(?:^|_)(?:API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|KEY|TOKEN|SECRETS?|PASS|PASSWD|PASSWORD|CREDENTIALS?|AUTH|COOKIE|DSN)(?:_|$)|(?:TOKEN|SECRET|PASSWORD|APIKEY)$/i
const SAFE = new Set(
  '? $ # ! RANDOM SECONDS LINENO UID EUID HOSTNAME USER LOGNAME COLUMNS LINES EPOCHSECONDS'.split(' '),
)

/** An argument of a command. */
export interface Argument {
  readonly text: string
  /** It may be more than one word, or none: a value that is not known and not quoted. */
  readonly loose: boolean
  /** The pattern of files that it comes from. */
  readonly pattern?: string
}

/** What a command finds when it begins. */
export interface State {
  readonly cwd: string
  readonly variables: ReadonlyMap<string, string>
}

/** What words need to know of the commands around them. */
export interface ValueContext {
  readonly state: State
  /** The output of `$(...)`; judges the commands in it. */
  output(list: List, as: 'text' | 'file'): string
  refuse(phrase: string): void
}

interface Draft {
  text: string
  /** The same with signs of patterns where they are active; others have a backslash. */
  pattern: string
  isPattern: boolean
  loose: boolean
  isEmpty: boolean
}

/** The arguments that a word becomes. */
export function expand(word: Word, around: ValueContext): readonly Argument[] {
  const drafts = withoutBraces(word).flatMap((each) => createDrafts(each, around))
  const made = drafts.flatMap((draft) => expandPattern(draft, around))
  if (made.length > MAX_WORDS) throw new NotUnderstood('more than 2,000 words')
  return made
}

/** The one text that a word becomes where the shell does not split it: values and targets of redirects. */
export function expandText(word: Word, around: ValueContext): string {
  const [draft] = createDrafts(
    word.map((piece) => ({ ...piece, quoted: piece.quoted || piece.kind !== 'text' })),
    around,
  )
  return draft?.text ?? ''
}

function createDrafts(word: Word, around: ValueContext): Draft[] {
  const drafts: Draft[] = [{ text: '', pattern: '', isPattern: false, loose: false, isEmpty: true }]
  for (const [at, piece] of word.entries()) {
    if (piece.kind === 'text') add(drafts, at === 0 ? tilde(piece) : piece.text, piece.quoted)
    else addValue(drafts, valueFor(piece, around), piece.quoted)
  }
  return drafts.filter(({ isEmpty }) => !isEmpty)
}

function add(drafts: Draft[], text: string, quoted: boolean): void {
  const draft = drafts.at(-1) as Draft
  draft.isEmpty &&= !quoted && text === ''
  draft.text += text
  draft.pattern += quoted ? text.replace(/[\\*?[\]]/g, '\\$&') : text
  draft.isPattern ||= !quoted && /[*?[]/.test(text)
}

function addValue(drafts: Draft[], value: string, quoted: boolean): void {
  if (quoted) {
    add(drafts, value, true)
    return
  }
  const words = value.split(/[ \t\n]+/)
  for (const [at, word] of words.entries()) {
    if (at > 0) drafts.push({ text: '', pattern: '', isPattern: false, loose: false, isEmpty: true })
    const draft = drafts.at(-1) as Draft
    if (word.includes(ANY)) draft.loose = true
    if (word !== '') add(drafts, word, false)
  }
}

function tilde({ text, quoted }: Extract<Piece, { kind: 'text' }>): string {
  if (quoted || !text.startsWith('~')) return quoted ? text : noLookup(text)
  if (!/^~(?:\/|$)/.test(text)) throw new NotUnderstood(`the folder of another user: ${text}`)
  return homedir() + text.slice(1)
}

/** `=ls` is the path of ls to zsh, `!!` an earlier command to an interactive shell. */
function noLookup(text: string): string {
  if (/^=[\w/.]/.test(text) || /^![\w!$?*-]/.test(text)) throw new NotUnderstood(`the word ${text}`)
  return text
}

function valueFor(piece: Exclude<Piece, { kind: 'text' }>, around: ValueContext): string {
  if (piece.kind === 'script') return around.output(piece.list, piece.as)
  if (piece.kind === 'variable') return variable(piece, around)
  const isNumber = (name: string) => /^(?:\d+|\ue001)?$/.test(around.state.variables.get(name) ?? ANY)
  if (!piece.names.every(isNumber)) around.refuse('arithmetic with a variable that is not known to be a number')
  return TOKEN
}

function variable({ name, rest }: Extract<Piece, { kind: 'variable' }>, around: ValueContext): string {
  const known = around.state.variables.get(name) ?? findGivenValue(name, around)
  return rest === '' ? known : applyExpansion(known, rest)
}

function findGivenValue(name: string, around: ValueContext): string {
  if (SAFE.has(name)) return TOKEN
  if (name === 'HOME') return homedir()
  if (name === 'PWD') return around.state.cwd
  if (name === 'TMPDIR') return tmpdir()
  if (SECRET.test(name)) around.refuse(`the variable ${name}, which may hold a secret`)
  return ANY
}

/** `${name%.ts}`, `${name:-x}`: computed where the value and the part are plain texts. */
function applyExpansion(value: string, rest: string): string {
  const [, sign = '', part = ''] = /^(:?[-+?]|##?|%%?)([\s\S]*)$/.exec(rest) ?? []
  if (sign.endsWith('-')) return value.includes(ANY) || value === '' ? ANY : value
  if (value.includes(ANY) || value.includes(PATHS)) return ANY
  if (value === TOKEN) return TOKEN
  if (part === '*/' && sign === '##') return value.slice(value.lastIndexOf('/') + 1)
  if (part === '/*' && sign === '%') return value.includes('/') ? value.slice(0, value.lastIndexOf('/')) : value
  if (part === '.*' && sign === '%') return value.includes('.') ? value.slice(0, value.lastIndexOf('.')) : value
  if (part === '' || /[*?[\\]/.test(part)) return ANY
  if (sign.startsWith('%')) return value.endsWith(part) ? value.slice(0, -part.length) : value
  if (sign.startsWith('#')) return value.startsWith(part) ? value.slice(part.length) : value
  return ANY
}

function expandPattern(draft: Draft, around: ValueContext): readonly Argument[] {
  const { text, pattern, isPattern, loose } = draft
  if (!isPattern) return [{ text, loose }]
  if (text.includes(ANY) || text.includes(PATHS) || text.includes(TOKEN)) {
    around.refuse(`a pattern of files that is not known`)
    return [{ text: ANY, loose: true }]
  }
  const found = matchFiles(pattern, around.state.cwd)
  if (found === undefined) throw new NotUnderstood(`a pattern that fits very many files: ${text}`)
  return found.length ? found.map((path) => ({ text: path, loose: false, pattern })) : [{ text, loose: false, pattern }]
}

/** `a{b,c}` as several words. */
function withoutBraces(word: Word, budget = { left: MAX_WORDS }): readonly Word[] {
  // Each group doubles the words: the work is bounded before it is done.
  if (budget.left-- <= 0) throw new NotUnderstood('more than 2,000 words')
  const at = word.findIndex(
    (piece) => piece.kind === 'text' && !piece.quoted && /\{.*(?:,|\.\.)|\{[^}]*$/.test(piece.text),
  )
  if (at < 0) return [word]
  const piece = word[at] as Extract<Piece, { kind: 'text' }>
  const [, before = '', list, after = ''] = /^([^{}]*)\{([^{}]*)\}([\s\S]*)$/.exec(piece.text) ?? []
  if (list === undefined) throw new NotUnderstood('braces in braces')
  const values = expandBraces(list)
  if (values === undefined) return [word]
  return values.flatMap((value) =>
    withoutBraces(
      [...word.slice(0, at), { ...piece, text: `${before}${value}${after}` }, ...word.slice(at + 1)],
      budget,
    ),
  )
}

function expandBraces(list: string): readonly string[] | undefined {
  if (list.includes(',')) return list.split(',')
  const [, first, last] = /^(\d{1,4})\.\.(\d{1,4})$/.exec(list) ?? []
  if (first === undefined || last === undefined) {
    if (list.includes('..')) throw new NotUnderstood(`the braces {${list}}`)
    return undefined
  }
  const [start, end] = [Number(first), Number(last)]
  if (Math.abs(end - start) > MAX_WORDS) throw new NotUnderstood('more than 2,000 words')
  return Array.from({ length: Math.abs(end - start) + 1 }, (_, index) =>
    String(start < end ? start + index : start - index),
  )
}
