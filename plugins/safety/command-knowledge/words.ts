/** Reads one word of shell text strictly: quotes, variables, substitutions. */
import type { Grammar } from './grammar.ts'
import { NotUnderstood, type Piece, type Word } from './syntax.ts'

/** What may follow the name in `${name...}`: a default, a part cut off, one text for another, a piece. */
const PLAIN_REST =
  /^(?:|:?[-=+?][^$`"'\\{}]*|##?[^$`"'\\{}]+|%%?[^$`"'\\{}]+|\/\/?[^$`"'\\{}/]+(?:\/[^$`"'\\{}]*)?|:\d+(?::\d+)?|,,?|\^\^?)$/
const ARITHMETIC = /^(?:[\w\s+\-*/%<>=!&|?:^~,()]|\$\w|\$\{\w+\})*$/

/** The word at the reader's place; of a document, all of the text. */
export function readPieces(reader: Grammar, of: 'word' | 'document' = 'word'): Word {
  return new WordReader(reader).read(of)
}

class WordReader {
  readonly #reader: Grammar
  readonly #pieces: Piece[] = []

  constructor(reader: Grammar) {
    this.#reader = reader
  }

  read(of: 'word' | 'document'): Word {
    const reader = this.#reader
    const start = reader.at
    if (of === 'document') this.#quotedUntil('')
    else while (reader.at < reader.text.length && this.#next(start)) {}
    if (reader.at === start && of === 'word')
      throw new NotUnderstood(`the sign "${reader.text[reader.at] ?? 'end'}" where a word begins`)
    return this.#pieces
  }

  /** Takes a piece; false at the end of the word. */
  #next(start: number): boolean {
    const { text, at } = this.#reader
    const char = text[at] as string
    if (/[\s;|&()]/.test(char)) return false
    if (char === '<' && text[at + 1] === '(' && at === start) this.#script('file', false, 2)
    else if (char === '<' || char === '>') {
      if (text[at + 1] === '(') throw new NotUnderstood('text that is fed to a command by >(...)')
      return false
    } else if (char === "'") this.#single()
    else if (char === '"') this.#double()
    else if (char === '`') this.#backquotes(false)
    else if (char === '$') this.#dollar(false)
    else if (char === '\\') this.#backslash()
    else this.#run()
    return true
  }

  #add(text: string, quoted: boolean): void {
    this.#pieces.push({ kind: 'text', text, quoted })
  }

  #run(): void {
    const run = /[^\s;|&()<>'"`$\\]+/y
    run.lastIndex = this.#reader.at
    const found = run.exec(this.#reader.text)?.[0] ?? ''
    this.#reader.at += found.length
    this.#add(found, false)
  }

  #backslash(): void {
    const next = this.#reader.text[this.#reader.at + 1]
    if (next === undefined) throw new NotUnderstood('a backslash at the end')
    this.#reader.at += 2
    if (next !== '\n') this.#add(next, true)
  }

  #single(): void {
    const stop = this.#reader.text.indexOf("'", this.#reader.at + 1)
    if (stop < 0) throw new NotUnderstood('a quotation without an end')
    this.#add(this.#reader.text.slice(this.#reader.at + 1, stop), true)
    this.#reader.at = stop + 1
  }

  #double(): void {
    this.#reader.at++
    this.#add('', true)
    this.#quotedUntil('"')
    this.#reader.take('"')
  }

  #quotedUntil(end: string): void {
    const reader = this.#reader
    while (reader.at < reader.text.length && reader.text[reader.at] !== end) {
      const char = reader.text[reader.at] as string
      if (char === '$') this.#dollar(true)
      else if (char === '`') this.#backquotes(true)
      else if (char === '\\') this.#escapeInQuotes(end)
      else {
        const run = end === '' ? /[^$`\\]+/y : /[^"$`\\]+/y
        run.lastIndex = reader.at
        const found = run.exec(reader.text)?.[0] ?? ''
        reader.at += found.length
        this.#add(found, true)
      }
    }
  }

  #escapeInQuotes(end: string): void {
    const next = this.#reader.text[this.#reader.at + 1] ?? ''
    this.#reader.at += 2
    if (next === '\n') return
    this.#add((end === '' ? '$`\\' : '$`"\\').includes(next) && next ? next : `\\${next}`, true)
  }

  #dollar(quoted: boolean): void {
    const { text, at } = this.#reader
    const next = text[at + 1] ?? ''
    if (text.startsWith('$((', at)) this.#arithmetic(quoted)
    else if (next === '(') this.#script('text', quoted, 2)
    else if (next === '{') this.#braces(quoted)
    else if ((/^['"]$/.test(next) && !quoted) || next === '[') throw new NotUnderstood(`the quotation $${next}`)
    else this.#variable(quoted)
  }

  #variable(quoted: boolean): void {
    const name = /[A-Za-z_]\w*|[0-9@*#?$!-]/y
    name.lastIndex = this.#reader.at + 1
    const found = name.exec(this.#reader.text)?.[0]
    this.#reader.at += 1 + (found?.length ?? 0)
    if (found === undefined) this.#add('$', quoted)
    else this.#pieces.push({ kind: 'variable', name: found, rest: '', quoted })
  }

  #braces(quoted: boolean): void {
    const { text, at } = this.#reader
    const stop = text.indexOf('}', at)
    const inside = text.slice(at + 2, stop < 0 ? text.length : stop)
    const [, length, name = '', rest = ''] = /^(#?)([A-Za-z_]\w*|[0-9@*?$!])([\s\S]*)$/.exec(inside) ?? []
    if (stop < 0 || !name || !PLAIN_REST.test(rest) || /^:?=/.test(rest) || (length && rest))
      throw new NotUnderstood(`the expansion \${${inside}}`)
    this.#reader.at = stop + 1
    if (length) this.#pieces.push({ kind: 'number', names: [], quoted })
    else this.#pieces.push({ kind: 'variable', name, rest, quoted })
  }

  #arithmetic(quoted: boolean): void {
    const { text, at } = this.#reader
    const stop = text.indexOf('))', at)
    const inside = text.slice(at + 3, stop < 0 ? at + 3 : stop)
    const isBalanced = inside.split('(').length === inside.split(')').length
    if (stop < 0 || !isBalanced || !ARITHMETIC.test(inside) || /(?:^|[^=!<>])=(?!=)/.test(inside))
      throw new NotUnderstood('arithmetic that is more than a sum')
    this.#reader.at = stop + 2
    // The value of a variable is arithmetic in turn, with commands in it.
    const names = inside.match(/[A-Za-z_]\w*/g) ?? []
    this.#pieces.push({ kind: 'number', names, quoted })
  }

  #script(as: 'text' | 'file', quoted: boolean, skip: number): void {
    this.#reader.at += skip
    this.#pieces.push({ kind: 'script', list: this.#reader.bracketed(), quoted, as })
  }

  #backquotes(quoted: boolean): void {
    const { text, at } = this.#reader
    let stop = at + 1
    while (stop < text.length && text[stop] !== '`') stop += text[stop] === '\\' ? 2 : 1
    if (stop >= text.length) throw new NotUnderstood('a backquote without an end')
    const inside = text.slice(at + 1, stop)
    if (inside.includes('\\')) throw new NotUnderstood('a backslash in backquotes')
    const list = this.#reader.nested(inside)
    this.#reader.at = stop + 1
    this.#pieces.push({ kind: 'script', list, quoted, as: 'text' })
  }
}
