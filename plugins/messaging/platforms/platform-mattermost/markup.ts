/**
 * Mattermost's Markdown (docs.mattermost.com/end-user-guide/collaborate/format-messages.html): CommonMark with GitHub's
 * additions. Words that would ring everybody's bell are kept apart from their sign.
 */
import { commonMark, type Markup, withBareAddresses } from 'svc/sdk'

/** Keeps characters apart, and is not seen. */
const GAP = '\u200b'

/** `@all`, `@channel` and `@here` are for people to say. */
function quiet(text: string): string {
  return text.replace(/@(?=(?:all|channel|here)\b)/gi, `@${GAP}`)
}

export const markup: Markup = withBareAddresses({
  ...commonMark,
  strike: ['~~', '~~'],
  escape: (text) => quiet(commonMark.escape(text)),
})
