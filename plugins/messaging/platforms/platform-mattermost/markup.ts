/**
 * Mattermost's Markdown (docs.mattermost.com/end-user-guide/collaborate/format-messages.html): CommonMark with GitHub's
 * additions. Words that would ring everybody's bell are kept apart from their sign.
 */
import { commonMarkMarkup, type Markup, withBareUrls } from 'svc/sdk/platform'

/** Keeps characters apart, and is not seen. */
const GAP = '\u200b'

/** `@all`, `@channel` and `@here` are for people to say. */
function muteMentions(text: string): string {
  return text.replace(/@(?=(?:all|channel|here)\b)/gi, `@${GAP}`)
}

export const markup: Markup = withBareUrls({
  ...commonMarkMarkup,
  strike: ['~~', '~~'],
  escape: (text) => muteMentions(commonMarkMarkup.escape(text)),
})
