/** Answers stay Markdown: code hosts show it, and the outbox makes of it what each chat shows (github.github.com/gfm). */
import type { Markup } from 'svc/sdk/platform'

export const markup: Markup = {
  bold: ['**', '**'],
  italic: ['*', '*'],
  strike: ['~~', '~~'],
  code: ['`', '`'],
  fence: (code, language) => {
    const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length))
    const ticks = '`'.repeat(longest + 1)
    return `${ticks}${language}\n${code}\n${ticks}`
  },
  link: (text, address) => `[${text}](${address})`,
  heading: (text, level) => `${'#'.repeat(level)} ${text}`,
  bullet: '- ',
  escape: (text) => text.replace(/[\\`*_~[\]<]/g, '\\$&').replace(/^(\s*)([#>+-]|\d+[.)])(?=\s)/gm, '$1\\$2'),
  escapeCode: (code) => code,
  escapeAddress: (address) =>
    address.replace(/[()<>\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`),
}
