/**
 * Parses shell text strictly: anything outside this grammar is rejected. To know that a text is harmless, nothing of it may
 * be dropped, unlike in a search for dangers.
 */
import type { Assignment, Chain, Command, List, Pipeline, Redirect, Word } from './syntax.ts'
import { NotUnderstood } from './syntax.ts'
import { readPieces } from './words.ts'

const MAX_DEPTH = 20
const MAX_TEXT = 20_000
const REFUSED = new Set(['function', 'coproc', 'select'])
const CLOSING = new Set('then elif else fi do done esac } )'.split(' '))
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ue000-\uf8ff]/

/** The commands in `text`; throws `NotUnderstood`. */
export function readScript(text: string): List {
  if (text.length > MAX_TEXT) throw new NotUnderstood('a text of more than 20,000 characters')
  if (INVISIBLE.test(text)) throw new NotUnderstood('an invisible character')
  const reader = new Grammar(text)
  const list = reader.list(() => false)
  reader.expectEnd()
  return list
}

/** The place in a text, shared by the grammar of commands and the one of words. */
export class Grammar {
  readonly text: string
  at = 0
  #depth = 0
  #documents: {
    readonly end: string
    readonly tabs: boolean
    readonly expands: boolean
    readonly set: (word: Word) => void
  }[] = []

  constructor(text: string) {
    this.text = text
  }

  expectEnd(): void {
    if (this.at < this.text.length) throw new NotUnderstood(`the sign "${this.text[this.at]}" where a command begins`)
    if (this.#documents.length) throw new NotUnderstood('a document without an end')
  }

  /** Commands until `ends` says so or the text is over. What ends it is not taken. */
  list(ends: () => boolean): List {
    if (++this.#depth > MAX_DEPTH) throw new NotUnderstood('commands that are nested too deeply')
    const chains: Chain[] = []
    for (this.#lines(); this.at < this.text.length && !ends(); this.#lines()) {
      const chain = this.#chain()
      chains.push(chain)
      if (!chain.background && !this.#takeOperator(';') && !'\n)'.includes(this.text[this.at] ?? '\n') && !ends()) break
      if (this.text.startsWith(';;', this.at)) break
    }
    this.#depth--
    return chains
  }

  /** `$(...)`: the list up to its bracket, which is taken. */
  bracketed(): List {
    const waiting = this.#documents.length
    const list = this.list(() => this.text[this.at] === ')')
    if (this.#documents.length > waiting) throw new NotUnderstood('a document without an end')
    this.take(')')
    return list
  }

  /** The commands of a text within this one. */
  nested(text: string): List {
    const reader = new Grammar(text)
    const list = reader.list(() => false)
    reader.expectEnd()
    return list
  }

  take(sign: string): void {
    if (!this.text.startsWith(sign, this.at)) throw new NotUnderstood(`shell text without its "${sign}"`)
    this.at += sign.length
  }

  /** Blanks, line continuations and comments. */
  blanks(): void {
    for (;;) {
      const char = this.text[this.at]
      if (char === ' ' || char === '\t') this.at++
      else if (char === '\\' && this.text[this.at + 1] === '\n') this.at += 2
      else break
    }
    if (this.text[this.at] !== '#') return
    while (this.at < this.text.length && this.text[this.at] !== '\n') this.at++
  }

  #lines(): void {
    for (this.blanks(); this.text[this.at] === '\n'; this.blanks()) {
      this.at++
      this.#readDocuments()
    }
  }

  #takeOperator(operator: string): boolean {
    this.blanks()
    const { text, at } = this
    if (!text.startsWith(operator, at) || (operator === ';' && text[at + 1] === ';')) return false
    if (operator === '|' && (text[at + 1] === '|' || text[at + 1] === '&')) return false
    if (operator === '&' && text[at + 1] === '&') return false
    this.at += operator.length
    return true
  }

  #chain(): Chain {
    const first = this.#pipeline()
    const more: ['&&' | '||', Pipeline][] = []
    for (;;) {
      const operator = this.#takeOperator('&&') ? '&&' : this.#takeOperator('||') ? '||' : undefined
      if (operator === undefined) break
      this.#lines()
      more.push([operator, this.#pipeline()])
    }
    return { first, more, background: this.#takeOperator('&') }
  }

  #pipeline(): Pipeline {
    this.blanks()
    if (/^!(?=\s)/.test(this.text.slice(this.at, this.at + 2))) this.at++
    const commands = [this.#command()]
    while (this.#takeOperator('|&') || this.#takeOperator('|')) {
      this.#lines()
      commands.push(this.#command())
    }
    return commands
  }

  /** The word at this place when it is a keyword or could be one. */
  #keyword(): string | undefined {
    this.blanks()
    const found = /[A-Za-z]+(?=[\s;&|()<>]|$)|[{}](?=[\s;&|()]|$)/y
    found.lastIndex = this.at
    return found.exec(this.text)?.[0]
  }

  #takeKeyword(word: string): void {
    this.#lines()
    if (this.#keyword() !== word) throw new NotUnderstood(`shell text without its "${word}"`)
    this.at += word.length
  }

  #command(): Command {
    this.blanks()
    const keyword = this.#keyword()
    if (keyword !== undefined && REFUSED.has(keyword)) throw new NotUnderstood(`the shell's "${keyword}"`)
    if (keyword !== undefined && CLOSING.has(keyword)) throw new NotUnderstood(`"${keyword}" without its beginning`)
    if (keyword === 'time' && /^time\s+[({]/.test(this.text.slice(this.at, this.at + 30))) {
      this.at += 4
      return this.#command()
    }
    if (keyword === '{') return this.#group('}', false)
    if (keyword === 'if') return this.#if()
    if (keyword === 'for') return this.#for()
    if (keyword === 'while' || keyword === 'until') return this.#while(keyword)
    if (keyword === 'case') return this.#case()
    if (this.text.startsWith('((', this.at)) throw new NotUnderstood('arithmetic as a command')
    if (this.text[this.at] === '(') return this.#group(')', true)
    return this.#simple()
  }

  #until(...words: readonly string[]): List {
    return this.list(() => words.includes(this.#keyword() ?? ''))
  }

  #group(end: string, own: boolean): Command {
    this.at++
    const list = own ? this.list(() => this.text[this.at] === ')') : this.#until('}')
    this.take(end)
    return { kind: 'group', list, own, redirects: this.#redirects() }
  }

  #if(): Command {
    const branches: [List, List][] = []
    let otherwise: List = []
    for (let word = 'if'; word !== 'fi'; ) {
      this.#takeKeyword(word)
      if (word === 'else') {
        otherwise = this.#until('fi')
        word = 'fi'
        continue
      }
      const condition = this.#until('then')
      this.#takeKeyword('then')
      branches.push([condition, this.#until('elif', 'else', 'fi')])
      word = this.#keyword() ?? 'fi'
    }
    this.#takeKeyword('fi')
    return { kind: 'if', branches, otherwise, redirects: this.#redirects() }
  }

  #for(): Command {
    this.#takeKeyword('for')
    this.blanks()
    const name = /[A-Za-z_]\w*(?=[\s;])/y
    name.lastIndex = this.at
    const found = name.exec(this.text)?.[0]
    if (found === undefined) throw new NotUnderstood('a "for" over numbers')
    this.at += found.length
    this.#takeKeyword('in')
    const words: Word[] = []
    for (this.blanks(); !/[;\n]|^$/.test(this.text[this.at] ?? ''); this.blanks()) words.push(this.#word())
    this.#takeOperator(';')
    const body = this.#body()
    return { kind: 'for', name: found, words, body, redirects: this.#redirects() }
  }

  #while(keyword: string): Command {
    this.#takeKeyword(keyword)
    const condition = this.#until('do')
    const body = this.#body()
    return { kind: 'while', condition, body, redirects: this.#redirects() }
  }

  #body(): List {
    this.#takeKeyword('do')
    const body = this.#until('done')
    this.#takeKeyword('done')
    return body
  }

  #case(): Command {
    this.#takeKeyword('case')
    this.blanks()
    const word = this.#word()
    this.#takeKeyword('in')
    const branches: List[] = []
    for (this.#lines(); this.#keyword() !== 'esac'; this.#lines()) {
      const pattern = /\(?[\w*?.,:"' |/[\]+-]+\)/y
      pattern.lastIndex = this.at
      const found = pattern.exec(this.text)?.[0]
      if (found === undefined) throw new NotUnderstood('a pattern of "case"')
      this.at += found.length
      branches.push(this.list(() => this.text.startsWith(';;', this.at) || this.#keyword() === 'esac'))
      this.#lines()
      if (this.text.startsWith(';;', this.at)) this.at += 2
    }
    this.#takeKeyword('esac')
    return { kind: 'case', word, branches, redirects: this.#redirects() }
  }

  #simple(): Command {
    const assigns: Assignment[] = []
    const words: Word[] = []
    const redirects: Redirect[] = []
    for (this.blanks(); !this.#stops(); this.blanks()) {
      const redirect = this.#redirect()
      if (redirect) {
        redirects.push(redirect)
        continue
      }
      const assignment = words.length ? undefined : this.#assignment()
      if (assignment) assigns.push(assignment)
      else words.push(this.#word())
      if (words.length === 1 && isText(words[0], '[[')) this.#test(words)
    }
    if (!assigns.length && !words.length && !redirects.length) throw new NotUnderstood('an empty command')
    return { kind: 'simple', assigns, words, redirects }
  }

  #stops(): boolean {
    const char = this.text[this.at]
    if (char === '&' && this.text[this.at + 1] === '>') return false
    return char === undefined || ';|&\n)'.includes(char)
  }

  /** `[[ ... ]]`, where signs of the shell are words. */
  #test(words: Word[]): void {
    for (this.blanks(); !isText(words.at(-1), ']]'); this.blanks()) {
      const sign = /&&|\|\||[<>()]|=~/y
      sign.lastIndex = this.at
      const found = sign.exec(this.text)?.[0]
      if (this.at >= this.text.length || /[;\n]/.test(this.text[this.at] as string))
        throw new NotUnderstood('shell text without its "]]"')
      if (found === '=~') throw new NotUnderstood('the operator =~ of [[')
      if (found === undefined) words.push(this.#word())
      else {
        this.at += found.length
        words.push([{ kind: 'text', text: found, quoted: true }])
      }
    }
  }

  #assignment(): Assignment | undefined {
    const found = /([A-Za-z_]\w*)(\+?=|\[)/y
    found.lastIndex = this.at
    const [all = '', name = '', sign] = found.exec(this.text) ?? []
    if (!name) return undefined
    if (sign !== '=') throw new NotUnderstood(`the assignment ${name}${sign}`)
    this.at += all.length
    if (this.text[this.at] === '(') throw new NotUnderstood('a list in a variable')
    const isEmpty = this.at >= this.text.length || /[\s;|&)]/.test(this.text[this.at] as string)
    return { name, value: isEmpty ? [] : this.#word() }
  }

  #word(): Word {
    const word = readPieces(this)
    if (this.text[this.at] === '(') throw new NotUnderstood('a bracket behind a word, such as a function')
    return word
  }

  #redirects(): Redirect[] {
    const redirects: Redirect[] = []
    for (;;) {
      this.blanks()
      const redirect = this.#redirect()
      if (!redirect) return redirects
      redirects.push(redirect)
    }
  }

  #redirect(): Redirect | undefined {
    const found = /(?:[0-9]|&(?=>))?(<<<|<<-|<<|<>|<&|>&|>>|>\||[<>])/y
    found.lastIndex = this.at
    const [all, operator] = found.exec(this.text) ?? []
    if (all === undefined || operator === undefined) return undefined
    if (/^[<>]$/.test(operator) && this.text[this.at + all.length] === '(' && all.length === 1) return undefined
    if (operator === '<>') throw new NotUnderstood('the redirect <>')
    this.at += all.length
    this.blanks()
    if (!operator.startsWith('<<') || operator === '<<<') return { operator, target: this.#word() }
    return this.#document(operator)
  }

  #document(operator: string): Redirect {
    const word = this.#word()
    if (word.some(({ kind }) => kind !== 'text')) throw new NotUnderstood('the end mark of a document')
    const end = word.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
    const redirect = { operator: '<<', target: [] as Word }
    const expands = word.every((piece) => piece.kind === 'text' && !piece.quoted)
    const set = (target: Word) => {
      redirect.target = target
    }
    this.#documents.push({ end, tabs: operator === '<<-', expands, set })
    return redirect
  }

  #readDocuments(): void {
    for (const { end, tabs, expands, set } of this.#documents.splice(0)) {
      const body = this.#linesUntil(end, tabs)
      set(expands ? readPieces(new Grammar(body), 'document') : [{ kind: 'text', text: body, quoted: true }])
    }
  }

  /** The lines up to the one that ends a document, which is taken. */
  #linesUntil(end: string, tabs: boolean): string {
    const start = this.at
    while (this.at < this.text.length) {
      const before = this.at
      const close = this.text.indexOf('\n', before)
      const stop = close < 0 ? this.text.length : close
      const line = this.text.slice(before, stop)
      this.at = Math.min(stop + 1, this.text.length)
      if ((tabs ? line.replace(/^\t+/, '') : line) === end) return this.text.slice(start, before)
    }
    throw new NotUnderstood('a document without an end')
  }
}

function isText(word: Word | undefined, text: string): boolean {
  const [piece, ...more] = word ?? []
  return piece?.kind === 'text' && !piece.quoted && piece.text === text && !more.length
}
