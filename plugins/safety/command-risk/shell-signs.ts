/** Small questions about shell text, and what escapes with a backslash stand for. */
import type { Part } from './shell-nodes.ts'

/**
 * How long an arithmetic text with its `))` is; 0 if it is not one by the rules of bash: brackets end apart or it runs
 * something.
 */
export function arithmeticLength(text: string): number {
  const stop = /[;\n'"`\\]|\$\(/.exec(text)?.index ?? text.length
  let open = 1
  for (let at = 0; at < stop; at++) {
    if (text[at] === '(') open++
    if (text[at] === ')' && --open === 0) return text[at + 1] === ')' ? at + 2 : 0
  }
  return 0
}

/** The place of the brace or bracket that closes a body which began before `from`, or the end. Quotes hide both. */
export function closingBrace(text: string, from: number): number {
  let open = 1
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string
    if (char === '\\') at++
    else if (char === "'") at = findEnd(text, "'", at + 1) - 1
    else if (char === '{' || char === '(') open++
    else if ((char === '}' || char === ')') && --open === 0) return at
  }
  return text.length
}

export function stops(char: string, end: string): boolean {
  return char === '' || char === end || ';|\n'.includes(char)
}

/** The place after the next `mark`, or the end. */
export function findEnd(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? text.length : found + mark.length
}

/** Between `[[` and `]]`. */
export function isTest(words: readonly (readonly Part[])[]): boolean {
  return readPlainText(words[0]) === '[[' && readPlainText(words.at(-1)) !== ']]'
}

/** The text of an unquoted word without expansions. */
export function readPlainText(word: readonly Part[] | undefined): string | undefined {
  const [part, ...more] = word ?? []
  return part?.kind === 'text' && !part.quoted && more.length === 0 ? part.text : undefined
}

/** The name of the function that is declared by brackets after it. */
export function readFunctionName(words: readonly (readonly Part[])[]): string {
  return readPlainText(words.at(-1)) ?? ''
}

const LETTERS = 'ntrabeEfv'
const MEANINGS = '\n\t\r\u0007\b\u001b\u001b\f\v'

/** What `$'...'`, `printf` and `echo -e` make of their escapes. */
export function decodeEscapes(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,6})|0?([0-7]{1,3})|([\s\S]))/g,
    (_, hex, short, long, octal, other: string | undefined) => {
      if (other !== undefined) return MEANINGS[LETTERS.indexOf(other)] ?? other
      const code = octal === undefined ? Number.parseInt(hex ?? short ?? long, 16) : Number.parseInt(octal, 8)
      return code > 0x10ffff ? '' : String.fromCodePoint(code)
    },
  )
}
