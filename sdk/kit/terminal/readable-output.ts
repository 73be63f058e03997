/** What a program wrote to a terminal, as text that a model can read. */
import { stripVTControlCharacters } from 'node:util'

/**
 * The text without escape sequences. Of a line that overwrites itself, such as a progress bar, the end state is kept.
 * Other control characters are written as `\x1b`.
 * @since 0.1
 */
export function readableOutput(text: string): string {
  const plain = stripVTControlCharacters(text)
  const lines = plain.includes('\r') ? plain.split('\n').map(readEndState).join('\n') : plain
  return lines.replaceAll(/(?![\n\t])\p{Cc}/gu, escapeByte)
}

/** The text after the last carriage return. Searched by hand: a pattern would take quadratic time. */
function readEndState(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end--
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end)
}

function escapeByte(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
