/** Reads PowerShell as far as judging needs it: quotes, variables, pipelines, blocks, the call operator. Never throws. */
import type { Node, Part, Reading, Redirect } from './shell-nodes.ts'

const MAX_DEPTH = 40
const KEYWORDS = new Set(
  'if else elseif while do until for foreach switch try catch finally return throw begin process end param trap in'.split(
    ' ',
  ),
)
/** What the usual short names stand for. */
const ALIASES: Readonly<Record<string, string>> = {
  ...createAliases('remove-item', 'ri rm del erase rd rmdir'),
  ...createAliases('invoke-expression', 'iex'),
  ...createAliases('invoke-webrequest', 'iwr curl wget irm invoke-restmethod'),
  ...createAliases('copy-item', 'cpi cp copy'),
  ...createAliases('move-item', 'mi mv move'),
  ...createAliases('rename-item', 'rni ren'),
  ...createAliases('set-content', 'sc'),
  ...createAliases('add-content', 'ac'),
  ...createAliases('get-content', 'gc cat type'),
  ...createAliases('new-item', 'ni md mkdir'),
  ...createAliases('stop-process', 'spps kill'),
  ...createAliases('start-process', 'saps start'),
  ...createAliases('set-location', 'sl cd chdir'),
  ...createAliases('get-childitem', 'gci ls dir'),
  ...createAliases('foreach-object', '%'),
  ...createAliases('where-object', '?'),
  ...createAliases('invoke-command', 'icm'),
  ...createAliases('write-output', 'echo write'),
}

function createAliases(name: string, aliases: string): Readonly<Record<string, string>> {
  return Object.fromEntries(aliases.split(' ').map((alias) => [alias, name]))
}

export function readPowerShell(text: string, depth = 0): Reading {
  const reader = new PowerShellReader(text, depth)
  const nodes = reader.script()
  return { nodes, comments: reader.comments, operators: reader.operators, tangled: reader.tangled }
}

class PowerShellReader {
  readonly #text: string
  readonly #depth: number
  #at = 0
  operators = false
  tangled = false
  readonly comments: [number, number][] = []

  constructor(text: string, depth: number) {
    this.#text = text
    this.#depth = depth
    if (depth > MAX_DEPTH) {
      this.tangled = true
      this.#at = text.length
    }
  }

  /** All statements in line: what is in blocks and brackets counts as if it ran. */
  script(): Node[] {
    const nodes: Node[] = []
    let piped = false
    while (this.#at < this.#text.length) {
      const before = this.#at
      const node = this.#statement(piped)
      if (node) nodes.push(node)
      const sign = this.#separator()
      if (sign !== '') this.operators ||= this.#at < this.#text.length
      piped = sign === '|' || (piped && node === undefined && sign === '')
      if (sign === '&' && this.#at >= this.#text.length && nodes.length) (nodes.at(-1) as Node).background = true
      if (this.#at === before) this.#at++
    }
    return nodes
  }

  #separator(): string {
    this.#blank()
    const [sign = ''] = /^(\|\||&&|[|;\n{}()&]|\r\n)/.exec(this.#text.slice(this.#at, this.#at + 2)) ?? []
    this.#at += sign.length
    return sign
  }

  #blank(): void {
    for (;;) {
      const char = this.#text[this.#at]
      if (char === ' ' || char === '\t' || char === '\r') this.#at++
      else if (char === '`' && /^`\r?\n/.test(this.#text.slice(this.#at, this.#at + 3)))
        this.#at += this.#text[this.#at + 1] === '\r' ? 3 : 2
      else if (char === '#') this.#comment('\n', 0)
      else if (this.#text.startsWith('<#', this.#at)) this.#comment('#>', 2)
      else return
    }
  }

  #comment(end: string, more: number): void {
    const start = this.#at
    const found = this.#text.indexOf(end, start + 1)
    this.#at = found < 0 ? this.#text.length : found + more
    this.comments.push([start, this.#at])
  }

  #statement(piped: boolean): Node | undefined {
    const words: (readonly Part[])[] = []
    const redirects: Redirect[] = []
    let isCalled = false
    for (let char = this.#next(); !this.#endsStatement(char, words.length > 0); char = this.#next()) {
      if (char === '&' || char === ',') {
        isCalled ||= char === '&'
        this.#at++
        continue
      }
      if (this.#redirect(redirects)) continue
      const special = this.#take(words, piped)
      if (special) return special
    }
    if (!words.length && !redirects.length) return undefined
    return { words: isCalled ? words : extractCommand(words), redirects, piped, background: false }
  }

  #next(): string {
    this.#blank()
    return this.#text[this.#at] ?? ''
  }

  #endsStatement(char: string, hasWords: boolean): boolean {
    return char === '' || '|;\n{}()'.includes(char) || (char === '&' && hasWords)
  }

  /** Adds a word; returns a node when the statement is a definition or an assignment. */
  #take(words: (readonly Part[])[], piped: boolean): Node | undefined {
    const word = this.#word()
    const [first] = word
    const plain = word.length === 1 && first?.kind === 'text' && !first.quoted ? first.text.toLowerCase() : ''
    if (words.length > 0) {
      words.push(word)
      return undefined
    }
    if (plain === 'function') {
      this.#blank()
      return this.#definition(piped)
    }
    if (this.#assigns(word)) return this.#assignment(word, piped)
    if (Object.hasOwn(ALIASES, plain)) words.push([{ kind: 'text', text: ALIASES[plain] as string, quoted: false }])
    else if (!KEYWORDS.has(plain)) words.push(word)
    return undefined
  }

  /** `$x = 'rm'`; anything but plain text is judged as a separate statement. */
  #assigns(word: readonly Part[]): boolean {
    this.#blank()
    return (
      word.length === 1 && word[0]?.kind === 'variable' && /^\+?=(?!=)/.test(this.#text.slice(this.#at, this.#at + 2))
    )
  }

  #assignment([variable]: readonly Part[], piped: boolean): Node {
    this.#at += this.#text[this.#at] === '+' ? 2 : 1
    this.#blank()
    const name = variable?.kind === 'variable' ? variable.name : ''
    const isText = /^['"@\w$./~\\-]/.test(this.#text[this.#at] ?? '')
    const start = this.#at
    const value = isText ? this.#word() : []
    this.#blank()
    // A command whose output is kept runs all the same.
    if (isText && !/^(?:$|[;\n|})])/.test(this.#text.slice(this.#at, this.#at + 1))) {
      this.#at = start
      return {
        words: [[{ kind: 'text', text: `${name}=\uE000`, quoted: true }]],
        redirects: [],
        piped,
        background: false,
      }
    }
    return {
      words: [[{ kind: 'text', text: `${name}=`, quoted: true }, ...value]],
      redirects: [],
      piped,
      background: false,
    }
  }

  #definition(piped: boolean): Node {
    const [name = ''] = /^[\w-]+/.exec(this.#text.slice(this.#at, this.#at + 100)) ?? []
    this.#at += name.length
    const open = this.#text.indexOf('{', this.#at)
    const body = open < 0 ? '' : this.#text.slice(open + 1, this.#closing(open))
    return {
      words: [],
      redirects: [],
      piped,
      background: false,
      defines: name.toLowerCase(),
      body: body.replace(/^\s*param\s*\([^)]*\)/i, ''),
    }
  }

  #closing(open: number): number {
    let depth = 0
    for (let at = open; at < this.#text.length; at++) {
      if (this.#text[at] === '{') depth++
      if (this.#text[at] === '}' && --depth === 0) return at
    }
    return this.#text.length
  }

  #redirect(redirects: Redirect[]): boolean {
    const [sign, operator] = /^[\d*]?(>>|>&\d|>)/.exec(this.#text.slice(this.#at, this.#at + 4)) ?? []
    if (sign === undefined || operator === undefined) return false
    this.#at += sign.length
    this.operators = true
    this.#blank()
    if (!operator.startsWith('>&')) redirects.push({ operator, target: this.#word() })
    return true
  }

  #word(): Part[] {
    const parts: Part[] = []
    const start = this.#at
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string
      if (/[\s|;{}(),&]/.test(char) || (/[<>]/.test(char) && this.#at > start)) break
      if (char === '=' && parts.length === 1 && parts[0]?.kind === 'variable') break
      this.#part(parts, char)
    }
    if (this.#at === start) this.#at++
    return parts
  }

  #part(parts: Part[], char: string): void {
    const next = this.#text.slice(this.#at + 1, this.#at + 4)
    if (char === "'") this.#single(parts)
    else if (char === '"') this.#double(parts)
    else if (char === '@' && /^['"]\r?\n/.test(next)) this.#hereText(parts)
    else if (char === '$' || (char === '@' && /^\w/.test(next))) this.#dollar(parts, false)
    else if (char === '`') {
      parts.push({ kind: 'text', text: next.slice(0, 1), quoted: true })
      this.#at += 2
    } else this.#plain(parts, char)
  }

  #plain(parts: Part[], char: string): void {
    const run = /[^\s|;{}(),&'"$`<>]+/y
    run.lastIndex = this.#at
    const text = run.exec(this.#text)?.[0] ?? char
    this.#at += text.length
    parts.push({ kind: 'text', text: text.replaceAll('\\', '/').replace(/^\[[\w.]+\](?=.)/, ''), quoted: true })
    // The first word of a statement is compared with keywords: it must look unquoted.
    if (parts.length === 1) parts[0] = { kind: 'text', text: text.replaceAll('\\', '/'), quoted: false }
  }

  #single(parts: Part[]): void {
    const quoted = /'((?:[^']|'')*)(?:'|$)/y
    quoted.lastIndex = this.#at
    const [whole = "'", inside = ''] = quoted.exec(this.#text) ?? []
    this.#at += whole.length
    parts.push({ kind: 'text', text: inside.replaceAll("''", "'"), quoted: true })
  }

  #hereText(parts: Part[]): void {
    const mark = this.#text[this.#at + 1] as string
    const from = this.#text.indexOf('\n', this.#at) + 1
    const stop = this.#text.indexOf(`\n${mark}@`, from - 1)
    const end = stop < 0 ? this.#text.length : stop
    parts.push({ kind: 'text', text: this.#text.slice(from, end), quoted: true })
    this.#at = Math.min(this.#text.length, end + 3)
  }

  #double(parts: Part[]): void {
    this.#at++
    parts.push({ kind: 'text', text: '', quoted: true })
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string
      if (char === '"' && this.#text[this.#at + 1] !== '"') {
        this.#at++
        return
      }
      if (char === '$') this.#dollar(parts, true)
      else {
        const isEscape = char === '`' || char === '"'
        parts.push({ kind: 'text', text: isEscape ? (this.#text[this.#at + 1] ?? '') : char, quoted: true })
        this.#at += isEscape ? 2 : 1
      }
    }
  }

  #dollar(parts: Part[], quoted: boolean): void {
    if (this.#text[this.#at + 1] === '(') {
      this.#at += 2
      const stop = this.#bracket()
      const reading = readPowerShell(this.#text.slice(this.#at, stop), this.#depth + 1)
      this.tangled ||= reading.tangled
      this.operators = true
      this.#at = stop + 1
      parts.push({ kind: 'script', script: reading.nodes, quoted, as: 'text' })
      return
    }
    const name = /[$@]\{?(?:env:|global:|script:|local:)?([A-Za-z_]\w*|[_?^$])\}?/iy
    name.lastIndex = this.#at
    const [whole = '$', found] = name.exec(this.#text) ?? []
    this.#at += whole.length
    if (found === undefined) parts.push({ kind: 'text', text: whole, quoted })
    else parts.push({ kind: 'variable', name: found === 'USERPROFILE' ? 'HOME' : found, rest: '', quoted })
  }

  /** The place of the bracket that closes an open one. */
  #bracket(): number {
    let open = 1
    for (let at = this.#at; at < this.#text.length; at++) {
      if (this.#text[at] === '(') open++
      if (this.#text[at] === ')' && --open === 0) return at
    }
    return this.#text.length
  }
}

/** Methods that delete, run or fetch. */
const METHODS =
  /::(?:Delete|Move|WriteAll\w*|AppendAll\w*|Start|Kill|Load\w*|Create|Invoke|Copy|SetEnvironmentVariable)\b|\.(?:Delete|Kill|DownloadString|DownloadFile|DownloadData|Invoke\w*|Run|ShellExecute|MoveTo|GetMethod)\b/i

/** What begins with a variable, a text or a type is an expression: it is shown, unless its methods do something. */
function extractCommand(words: readonly (readonly Part[])[]): readonly (readonly Part[])[] {
  const text = words
    .flat()
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join(' ')
  if (METHODS.test(text)) return [word('invoke-expression'), word('\uE000')]
  const [first] = words[0] ?? []
  if (first === undefined || (first.kind === 'text' && !(first.quoted || /^[\d[]/.test(first.text)))) return words
  const isLoop = words[1]?.[0]?.kind === 'text' && words[1][0].text === 'in'
  return isLoop ? words.slice(2) : [word('write-output'), ...words]
}

function word(text: string): readonly Part[] {
  return [{ kind: 'text', text, quoted: true }]
}
