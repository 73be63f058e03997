/** Markdown of messages of bots in Teams (learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages). */
import { commonMarkMarkup, type Markup, withBareUrls } from 'svc/sdk/platform'

export const markup: Markup = withBareUrls({ ...commonMarkMarkup, strike: ['~~', '~~'] })
