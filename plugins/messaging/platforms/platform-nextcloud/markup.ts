/** Markdown of Nextcloud Talk (CommonMark with GitHub's strike-through), without the words that notify a whole conversation. */
import { commonMarkMarkup, type Markup, withBareUrls } from 'svc/sdk/platform'

/** Keeps characters apart, and is not seen. */
const GAP = '\u200b'

export const markup: Markup = withBareUrls({
  ...commonMarkMarkup,
  strike: ['~~', '~~'],
  escape: (text) => commonMarkMarkup.escape(text).replace(/@(?=(?:all|here)\b|")/gi, `@${GAP}`),
})
