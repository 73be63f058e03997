/** File names in running text. */

/** Control, format and separator characters, and what JSON quoting needs: a name with one cannot be shown as it is. */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]|^"|^\s|\s$/u

/** The name, or a JSON string where the plain name would mislead: line breaks, escape sequences, reversed text. */
export function showName(name: string): string {
  if (!MISLEADING.test(name)) return name
  return JSON.stringify(name).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')
}
