/** How ntfy shows Markdown (https://docs.ntfy.sh/publish/#markdown-formatting). */
import type { Markup } from 'svc/sdk'

/** Longer than the longest run of backticks inside. */
function fenceOf(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  return '`'.repeat(longest + 1)
}

export const markdown: Markup = {
  bold: ['**', '**'],
  italic: ['*', '*'],
  // In this form code may hold backticks.
  code: ['`` ', ' ``'],
  fence: (code, language) => `${fenceOf(code)}${language}\n${code}\n${fenceOf(code)}`,
  link: (text, address) => `[${text}](${address})`,
  heading: (text, level) => `${'#'.repeat(Math.min(level, 6))} ${text}`,
  escape: (text) => text.replace(/[\\`*_[\]<>#~]/g, '\\$&'),
  escapeCode: (code) => code,
  escapeAddress: (address) => address.replace(/[() <>\\]/g, (one) => `%${one.charCodeAt(0).toString(16)}`),
}
