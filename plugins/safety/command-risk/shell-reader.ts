/** Reads shell text into words, operators and nested scripts. Linear, bounded in depth, never throws. */

import type { Node, Part, Reading, Redirect } from './shell-nodes.ts'
import {
  arithmeticLength,
  closingBrace,
  decodeEscapes,
  findEnd,
  isTest,
  readFunctionName,
  readPlainText,
  stops,
} from './shell-signs.ts'

const MAX_DEPTH = 40
const MAX_ARITHMETIC = 200
const MAX_BODY = 16_384
const KEYWORDS = new Set('if then elif else fi while until do done { } ! esac coproc'.split(' '))
const FISH_KEYWORDS = new Set('if else while begin end and or not ! { } switch case'.split(' '))
/** Reads `text`; `depth` counts texts within texts. */
export function readShell(text: string, depth = 0, dialect: 'posix' | 'fish' = 'posix'): Reading {
  const reader = new ShellReader(text, depth, dialect === 'fish')
  const nodes = reader.script('')
  return { nodes, comments: reader.comments, operators: reader.operators, tangled: reader.tangled }
}

class ShellReader {
  readonly #text: string
  /** Brackets are substitutions, and blocks end with a word. */
  readonly #isFish: boolean
  #at = 0
  #depth: number
  #waiting: { readonly end: string; readonly tabs: boolean; readonly expands: boolean; readonly target: Part[] }[] = []
  #cases = 0
  operators = false
  tangled = false
  readonly comments: [number, number][] = []

  constructor(text: string, depth: number, isFish = false) {
    this.#text = text
    this.#depth = depth
    this.#isFish = isFish
  }

  /** Commands up to `end`, which is taken, or the end of the text. */
  script(end: string): Node[] {
    const nodes: Node[] = []
    if (++this.#depth > MAX_DEPTH) {
      this.tangled = true
      this.#at = this.#text.length
    }
    const state = { piped: false, groups: 0 }
    while (this.#at < this.#text.length && !this.#ends(end)) {
      const before = this.#at
      const node = this.#simple(state.piped, end)
      if (node) nodes.push(node)
      state.piped &&= node === undefined
      this.#join(nodes, node, this.#separator(end), state)
      if (this.#at === before) this.#at++
    }
    this.#depth--
    return nodes
  }

  /** What a separator says of the command before it and the one after it. */
  #join(nodes: Node[], node: Node | undefined, operator: string, state: { piped: boolean; groups: number }): void {
    const last = nodes.at(-1)
    if (operator === '&' && last) last.background = true
    if (operator === '|' || operator === '|&') state.piped = true
    if (operator === '(') state.groups++
    if (operator !== ')') return
    // A bracket that closes nothing ends a pattern of `case`; anywhere else it hides nothing.
    if (state.groups === 0 && node && this.#cases > 0) nodes.pop()
    state.groups = Math.max(0, state.groups - 1)
  }

  /** Takes the closing sign when it is next. */
  #ends(end: string): boolean {
    const ends = end !== '' && this.#text[this.#at] === end
    if (ends) this.#at++
    return ends
  }

  #blank(): void {
    while (' \t'.includes(this.#text[this.#at] ?? 'x')) this.#at++
    if (this.#text[this.#at] !== '#') return
    const start = this.#at
    while (this.#at < this.#text.length && this.#text[this.#at] !== '\n') this.#at++
    this.comments.push([start, this.#at])
  }

  /** Takes one separator and returns it. Brackets of groups count as separators: what is inside is read in line. */
  #separator(end: string): string {
    this.#blank()
    const found = /[;&|\n()]/y
    found.lastIndex = this.#at
    const [first] = found.exec(this.#text) ?? []
    if (first === undefined || first === end) return ''
    const two = this.#text.slice(this.#at, this.#at + 2)
    const operator = ['&&', '||', '|&', ';;'].includes(two) ? two : first
    this.#at += operator.length
    if (first === '\n') this.#hereDocuments()
    this.operators ||= this.#at < this.#text.length || operator === '&'
    return operator
  }

  /** One simple command; undefined when a separator comes first. */
  #simple(piped: boolean, end: string): Node | undefined {
    const words: Part[][] = []
    const redirects: Redirect[] = []
    for (let char = this.#next(); !stops(char, end); char = this.#next()) {
      if (this.#compared(char, words) || this.#redirect(redirects) || this.#arithmetic(words)) continue
      const isBracket = char === '(' && !this.#isFish
      if (char === '&' || char === ')' || (isBracket && !this.#emptyBrackets())) break
      const defined = isBracket ? readFunctionName(words) : this.#takeWord(words, end)
      if (defined !== undefined) return this.#definition(defined, piped)
    }
    return words.length || redirects.length ? { words, redirects, piped, background: false } : undefined
  }

  #next(): string {
    this.#blank()
    return this.#text[this.#at] ?? ''
  }

  /** Adds a word unless it is a keyword; the name of the function when one is declared. */
  #takeWord(words: Part[][], end: string): string | undefined {
    const word = this.#word(end)
    const first = words.length === 0 ? readPlainText(word) : undefined
    if (this.#isFish && first !== 'function') {
      if (first === undefined || !FISH_KEYWORDS.has(first)) words.push(word)
      return undefined
    }
    if (first === 'case') this.#cases++
    if (first === 'esac') this.#cases--
    if (first === 'function') {
      this.#blank()
      return readPlainText(this.#word(end)) ?? ''
    }
    if (first === undefined || !KEYWORDS.has(first)) words.push(word)
    return undefined
  }

  /** Signs that mean something else in `[[ ... ]]`. */
  #compared(char: string, words: readonly (readonly Part[])[]): boolean {
    const compares = '<>&()'.includes(char) && isTest(words)
    if (compares) this.#at++
    return compares
  }

  /** `((i++))` runs nothing. */
  #arithmetic(words: readonly unknown[]): boolean {
    return words.length === 0 && this.#text.startsWith('((', this.#at) && this.#skipArithmetic(this.#at + 2)
  }

  /** Takes all up to `))`. False if it is a nested group instead of arithmetic, or runs a command. */
  #skipArithmetic(from: number): boolean {
    const text = this.#text.slice(from, from + MAX_ARITHMETIC)
    const length = arithmeticLength(text)
    if (length > 0) {
      this.#at = from + length
      return true
    }
    // Read as commands instead, where a shift would look like a document.
    if (text.includes('<<')) this.tangled = true
    return false
  }

  #emptyBrackets(): boolean {
    const brackets = /\(\s*\)/y
    brackets.lastIndex = this.#at
    return brackets.test(this.#text)
  }

  #definition(name: string, piped: boolean): Node {
    const brackets = /\s*\(\s*\)/y
    brackets.lastIndex = this.#at
    if (brackets.test(this.#text)) this.#at = brackets.lastIndex
    this.operators = true
    return { words: [], redirects: [], piped, background: false, defines: name, body: this.#body() }
  }

  /** What follows as a function's body: up to its end, or rather too much than too little. */
  #body(): string {
    const text = this.#text.slice(this.#at, this.#at + MAX_BODY)
    if (this.#isFish) return text.replace(/^[^\n;]*[\n;]/, '').replace(/(?:^|[\n;])\s*end\b[\s\S]*$/, '')
    const [open = ''] = /^\s*[{(]/.exec(text) ?? []
    if (open === '') return (/^[^\n]*/.exec(text)?.[0] ?? '').trim()
    return text.slice(open.length, closingBrace(text, open.length))
  }

  /** Takes a redirect; false when there is none. */
  #redirect(redirects: Redirect[]): boolean {
    const found = /(?:\d{0,3}|&)(<<<|<<-|<<|<>|<&|>&|>>|>\||[<>])/y
    found.lastIndex = this.#at
    const match = found.exec(this.#text)
    const operator = match?.[1]
    if (!match || !operator) return false
    if (operator.length === 1 && this.#text[found.lastIndex] === '(' && match[0].length === 1) return false
    this.#at = found.lastIndex
    this.operators = true
    this.#blank()
    if (operator === '<<' || operator === '<<-') this.#expectDocument(operator, redirects)
    else redirects.push({ operator, target: this.#word('') })
    return true
  }

  #expectDocument(operator: string, redirects: Redirect[]): void {
    const word = this.#word('')
    const end = word.map((part) => (part.kind === 'text' ? part.text : '')).join('')
    const target: Part[] = []
    const expands = !word.some((part) => part.kind === 'text' && part.quoted)
    redirects.push({ operator: '<<', target })
    this.#waiting.push({ end, tabs: operator === '<<-', expands, target })
  }

  #hereDocuments(): void {
    for (const { end, tabs, expands, target } of this.#waiting.splice(0)) {
      const text = this.#linesUntil((line) => (tabs ? line.replace(/^\t+/, '') : line) === end)
      if (expands && /[$`]/.test(text)) target.push(...this.#document(text))
      else target.push({ kind: 'text', text, quoted: true })
    }
  }

  /** Takes lines up to and with the first that `isEnd`; returns those before it. */
  #linesUntil(isEnd: (line: string) => boolean): string {
    const start = this.#at
    while (this.#at < this.#text.length) {
      const before = this.#at
      const close = this.#text.indexOf('\n', before)
      const next = close < 0 ? this.#text.length : close
      this.#at = Math.min(next + 1, this.#text.length)
      if (isEnd(this.#text.slice(before, next))) return this.#text.slice(start, before)
    }
    return this.#text.slice(start)
  }

  /** A document whose end mark is not quoted: the shell runs the scripts in it. */
  #document(text: string): Part[] {
    const reader = new ShellReader(`${text.replaceAll('"', '\\"')}"`, this.#depth, this.#isFish)
    const parts: Part[] = []
    reader.#at = -1
    reader.#double(parts)
    this.tangled ||= reader.tangled
    return parts
  }

  #word(end: string): Part[] {
    const parts: Part[] = []
    const start = this.#at
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string
      if (char === end && this.#at > start) break
      const isOpen = char === '(' && (this.#isFish || (this.#at > start && parts.length === 0))
      if (/[ \t\n;|&()]/.test(char) && !isOpen) break
      if (/[<>]/.test(char) && this.#text[this.#at + 1] !== '(') break
      this.#part(char, parts)
    }
    if (this.#at === start) this.#at++
    return parts
  }

  #part(char: string, parts: Part[]): void {
    if (char === "'") this.#single(parts)
    else if (char === '"') this.#double(parts)
    else if (char === '`') this.#backquotes(parts, 'open')
    else if (char === '$') this.#dollar(parts, 'open')
    else if (char === '(' && this.#isFish) {
      this.#at--
      this.#nested(parts, 'open', 'text')
    } else if (char === '<' || char === '>') this.#nested(parts, 'open', 'file')
    else if (char === '\\') this.#backslash(parts)
    else this.#run(char, parts)
  }

  #backslash(parts: Part[]): void {
    const next = this.#text[this.#at + 1]
    this.#at += 2
    if (next !== undefined && next !== '\n') parts.push({ kind: 'text', text: next, quoted: true })
  }

  #run(char: string, parts: Part[]): void {
    const run = /[^ \t\n;|&()<>'"`$\\]+/y
    run.lastIndex = this.#at
    const text = run.exec(this.#text)?.[0] ?? char
    this.#at += text.length
    parts.push({ kind: 'text', text, quoted: false })
  }

  #single(parts: Part[]): void {
    const stop = findEnd(this.#text, "'", this.#at + 1)
    parts.push({ kind: 'text', text: this.#text.slice(this.#at + 1, stop).replace(/'$/, ''), quoted: true })
    this.#at = stop
  }

  #double(parts: Part[]): void {
    this.#at++
    parts.push({ kind: 'text', text: '', quoted: true })
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string
      if (char === '"') {
        this.#at++
        return
      }
      if (char === '$') this.#dollar(parts, 'quoted')
      else if (char === '`') this.#backquotes(parts, 'quoted')
      else this.#plainInQuotes(parts)
    }
  }

  #plainInQuotes(parts: Part[]): void {
    if (this.#text[this.#at] === '\\') {
      const next = this.#text[this.#at + 1] ?? ''
      this.#at += 2
      const text = '$`"\\'.includes(next) ? next : `\\${next}`
      if (next !== '\n') parts.push({ kind: 'text', text, quoted: true })
      return
    }
    const run = /[^"$`\\]+/y
    run.lastIndex = this.#at
    const text = run.exec(this.#text)?.[0] ?? ''
    this.#at += text.length
    parts.push({ kind: 'text', text, quoted: true })
  }

  #dollar(parts: Part[], where: 'open' | 'quoted'): void {
    const quoted = where === 'quoted'
    const next = this.#text[this.#at + 1] ?? ''
    if (next === "'" && !quoted) this.#escaped(parts)
    else if (next === '"' && !quoted) this.#at++
    else if (next === '{') this.#braces(parts, quoted)
    else if (next !== '(') this.#variable(parts, quoted)
    else if (this.#text[this.#at + 2] === '(' && this.#skipArithmetic(this.#at + 3))
      parts.push({ kind: 'variable', name: '((', rest: '', quoted })
    else this.#nested(parts, where, 'text')
  }

  #variable(parts: Part[], quoted: boolean): void {
    const name = /[A-Za-z_]\w*|[0-9@*#?$!-]/y
    name.lastIndex = this.#at + 1
    const found = name.exec(this.#text)?.[0]
    this.#at += 1 + (found?.length ?? 0)
    if (found === undefined) parts.push({ kind: 'text', text: '$', quoted })
    else parts.push({ kind: 'variable', name: found, rest: '', quoted })
  }

  #braces(parts: Part[], quoted: boolean): void {
    const start = this.#at + 2
    this.#at = start
    const stop = this.#endOfBraces(quoted)
    const inside = this.#text.slice(start, stop)
    const [, name = '', rest = ''] = /^([!#]?(?:\w+|[@*#?$!-]))?([\s\S]*)$/.exec(inside) ?? []
    parts.push({ kind: 'variable', name, rest, quoted })
  }

  /** Goes past the closing brace and returns its place. Quotes and scripts inside are read to find their ends. */
  #endOfBraces(quoted: boolean): number {
    let open = 1
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string
      if (char === '}' && --open === 0) return this.#at++
      if (this.#skipQuoted(char, quoted)) continue
      const nested = this.#text.startsWith('${', this.#at)
      if (nested) open++
      this.#at += nested || char === '\\' ? 2 : 1
    }
    return this.#text.length
  }

  /** Goes past a quotation or a script; false when there is none. */
  #skipQuoted(char: string, quoted: boolean): boolean {
    const skipped: Part[] = []
    if (char === '"') this.#double(skipped)
    else if (char === "'" && !quoted) this.#single(skipped)
    else if (char === '`' || this.#text.startsWith('$(', this.#at)) this.#part(char, skipped)
    else return false
    return true
  }

  /** `$(`, `<(` or `>(`. */
  #nested(parts: Part[], where: 'open' | 'quoted', as: 'text' | 'file'): void {
    this.#at += 2
    this.operators = true
    const waiting = this.#waiting
    this.#waiting = []
    const script = this.script(')')
    this.#waiting = waiting
    parts.push({ kind: 'script', script, quoted: where === 'quoted', as })
  }

  #backquotes(parts: Part[], where: 'open' | 'quoted'): void {
    let stop = this.#at + 1
    while (stop < this.#text.length && this.#text[stop] !== '`') stop += this.#text[stop] === '\\' ? 2 : 1
    const inside = this.#text.slice(this.#at + 1, stop).replace(/\\([`$\\])/g, '$1')
    this.#at = stop + 1
    this.operators = true
    const reading = readShell(inside, this.#depth)
    this.tangled ||= reading.tangled
    parts.push({ kind: 'script', script: reading.nodes, quoted: where === 'quoted', as: 'text' })
  }

  /** `$'...'` with its escapes. */
  #escaped(parts: Part[]): void {
    let stop = this.#at + 2
    while (stop < this.#text.length && this.#text[stop] !== "'") stop += this.#text[stop] === '\\' ? 2 : 1
    parts.push({ kind: 'text', text: decodeEscapes(this.#text.slice(this.#at + 2, stop)), quoted: true })
    this.#at = stop + 1
  }
}
