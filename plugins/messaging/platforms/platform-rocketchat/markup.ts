/**
 * Rocket.Chat's Markdown (docs.rocket.chat/docs/message-formatting): CommonMark's blocks, `**bold**`, `__italic__` and `~~strike~~`. A
 * backslash makes a character only of some marks; others are kept apart from what would give them a meaning.
 */
import { commonMarkMarkup, type Markup, withBareUrls } from 'svc/sdk/platform'

/** Keeps characters apart, and is not seen. */
const GAP = '\u200b'

function escapeText(text: string): string {
  return (
    text
      // Of the text that follows it would take the first mark.
      .replace(/\\/g, `\\${GAP}`)
      .replace(/[*_~`]/g, '\\$&')
      .replace(/^(\s*)(#)/gm, '$1\\$2')
      .replace(/^(\s*\d+)(?=\.)/gm, '$1\\')
      .replace(/^(\s*)([>+-])/gm, `$1${GAP}$2`)
      .replace(/\](?=\()/g, `]${GAP}`)
      .replace(/@(?=(?:all|here)\b)/gi, `@${GAP}`)
      .replace(/:(?=[\w+-]+:)/g, `:${GAP}`)
  )
}

export const markup: Markup = withBareUrls({
  ...commonMarkMarkup,
  italic: ['_', '_'],
  strike: ['~~', '~~'],
  escape: escapeText,
})
