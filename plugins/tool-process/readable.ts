/** Output as a model can read it. */
import { stripVTControlCharacters } from 'node:util'

/** Without escape sequences; of lines that overwrite themselves the end state; other control characters escaped. */
export function readable(text: string): string {
  const plain = stripVTControlCharacters(text)
  const lines = plain.includes('\r') ? plain.split('\n').map(asShown).join('\n') : plain
  return lines.replaceAll(/(?![\n\t])\p{Cc}/gu, escapeCharacter)
}

/** A screen shows what follows the last carriage return. Searched by hand: a pattern would take a square of the length. */
function asShown(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end--
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end)
}

function escapeCharacter(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
