/** A calculator: + - * / ^ %, parentheses, decimals, and the words people use for them. Nothing is ever evaluated as code. */

/** The result, or the reason of a failure. */
export type Calculation =
  | { readonly value: number; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string }

const MAX_LENGTH = 1000
const MAX_DEPTH = 100

/** Signs and words that mean an operator. A percent sign before a number or parenthesis is the remainder. */
const SPELLINGS: readonly (readonly [pattern: RegExp, operator: string])[] = [
  [/\b(?:multiplied by|times)\b|[×·∙]/gi, ' * '],
  [/(?<=[\d)%]\s*)x(?=\s*[\d(.])/gi, ' * '],
  [/\b(?:divided by|over)\b|[÷∕]/gi, ' / '],
  [/\bto the power of\b|\*\*/gi, ' ^ '],
  [/\bsquared\b|²/gi, ' ^ 2 '],
  [/\bcubed\b|³/gi, ' ^ 3 '],
  [/\bplus\b/gi, ' + '],
  [/\bminus\b|[−–]/gi, ' - '],
  [/\bmod(?:ulo)?\b/gi, ' mod '],
  [/\bper ?cent\b/gi, '%'],
  [/\b(?:the )?square root of\b|√/gi, ' sqrt '],
]

const TOKEN = /\s*(?:((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|(mod|of|sqrt|pi)\b|([-+*/^%()]))/iy

/** Works out a text, or returns undefined when it is not arithmetic. A number alone is not. */
export function calculate(text: string): Calculation | undefined {
  const tokens = text.length > MAX_LENGTH ? undefined : tokenize(text)
  if (tokens === undefined || !tokens.some((token) => typeof token === 'string' && token !== '(' && token !== ')')) {
    return undefined
  }
  const parser = new Parser(tokens)
  try {
    return { value: parser.parse() }
  } catch (error) {
    if (error instanceof NotArithmetic) return undefined
    if (error instanceof Unanswerable) return { problem: error.message }
    throw error
  }
}

/** A number for people: no float noise, no digits that are not known. */
export function showNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value)
  return String(Number(value.toPrecision(15)))
}

type Token = number | string

/** The text is not arithmetic. */
class NotArithmetic extends Error {}
/** It is, but has no answer. */
class Unanswerable extends Error {}

/** No step on the way may be too large, or the result would only look like one. */
function finite(value: number): number {
  if (Number.isFinite(value)) return value
  throw new Unanswerable('a number on the way is too large')
}

function tokenize(text: string): Token[] | undefined {
  let plain = text
  for (const [pattern, operator] of SPELLINGS) plain = plain.replace(pattern, operator)
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  const end = plain.trimEnd().length
  while (pattern.lastIndex < end) {
    const match = pattern.exec(plain)
    if (match === null) return undefined
    const [, digits, word, sign] = match
    tokens.push(digits === undefined ? (word ?? sign ?? '').toLowerCase() : Number(digits.replaceAll(',', '')))
  }
  return tokens
}

/** Recursive descent, one method a level of precedence. */
class Parser {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): number {
    const value = this.#sum()
    if (this.#at < this.#tokens.length) throw new NotArithmetic()
    return value
  }

  #sum(): number {
    let value = this.#product()
    for (;;) {
      if (this.#take('+')) value += this.#product()
      else if (this.#take('-')) value -= this.#product()
      else return finite(value)
    }
  }

  #product(): number {
    let value = this.#signed()
    for (;;) {
      if (this.#take('*') || this.#take('of')) value *= this.#signed()
      else if (this.#take('/')) value /= this.#divisor()
      else if (this.#take('mod') || this.#take('%')) value %= this.#divisor()
      else return finite(value)
    }
  }

  #divisor(): number {
    const value = this.#signed()
    if (value === 0) throw new Unanswerable('division by zero has no answer')
    return value
  }

  #signed(): number {
    return this.#nested(() => {
      if (this.#take('-')) return -this.#signed()
      if (this.#take('+')) return this.#signed()
      if (this.#take('sqrt')) return this.#root()
      return this.#power()
    })
  }

  #root(): number {
    const value = this.#signed()
    if (value < 0) throw new Unanswerable('a negative number has no real square root')
    return Math.sqrt(value)
  }

  /** Binds to the right, and tighter than a sign before it: -2^2 is -4 and 2^-1 is 0.5. */
  #power(): number {
    const base = this.#percent()
    if (!this.#take('^')) return base
    const value = base ** this.#signed()
    if (Number.isNaN(value)) throw new Unanswerable('a negative number has no real root')
    return finite(value)
  }

  #percent(): number {
    let value = this.#primary()
    while (this.#peek() === '%' && !this.#startsOperand(this.#tokens[this.#at + 1])) {
      this.#at++
      value /= 100
    }
    return value
  }

  #primary(): number {
    const token = this.#tokens[this.#at++]
    if (typeof token === 'number') return token
    if (token === 'pi') return Math.PI
    if (token !== '(') throw new NotArithmetic()
    const value = this.#nested(() => this.#sum())
    if (!this.#take(')')) throw new NotArithmetic()
    return value
  }

  #nested(inner: () => number): number {
    if (++this.#depth > MAX_DEPTH) throw new Unanswerable('that is nested too deeply for me')
    const value = inner()
    this.#depth--
    return value
  }

  #startsOperand(token: Token | undefined): boolean {
    return typeof token === 'number' || token === '(' || token === 'pi' || token === 'sqrt'
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at]
  }

  #take(token: string): boolean {
    const found = this.#peek() === token
    if (found) this.#at++
    return found
  }
}
