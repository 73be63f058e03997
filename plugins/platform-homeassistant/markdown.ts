/** How Home Assistant shows notifications: Markdown (https://www.home-assistant.io/integrations/persistent_notification). */
import type { Markup } from 'svc/sdk'

/** Longer than the longest run of backticks inside. */
function fenceOf(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  return '`'.repeat(longest + 1)
}

export const markdown: Markup = {
  bold: ['**', '**'],
  italic: ['*', '*'],
  strike: ['~~', '~~'],
  // In this form code may hold backticks.
  code: ['`` ', ' ``'],
  fence: (code, language) => `${fenceOf(code)}${language}\n${code}\n${fenceOf(code)}`,
  link: (text, address) => `[${text}](${address})`,
  heading: (text, level) => `${'#'.repeat(Math.min(level, 6))} ${text}`,
  // `{{`, `{%` and `{#` would make it a template, which Home Assistant stumbles over; in code an invisible mark parts them.
  escape: (text) => text.replace(/[\\`*_[\]<>#~{}%]/g, '\\$&'),
  escapeCode: (code) => code.replace(/\{(?=[{%#])/g, '{\u2060'),
  escapeAddress: (address) => address.replace(/[() <>\\{}]/g, (one) => `%${one.charCodeAt(0).toString(16)}`),
}
