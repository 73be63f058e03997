/**
 * Discord's Markdown (support.discord.com, "Markdown Text 101"): a backslash makes a mark ordinary. Pings are switched off
 * with every message (`allowed_mentions`); what looks like one is made ordinary here as well.
 */
import { commonMarkMarkup, type Markup, withBareUrls } from 'svc/sdk/platform'

/** Keeps marks apart, and is not seen. */
const GAP = '\u200b'

export const markup: Markup = withBareUrls({
  ...commonMarkMarkup,
  strike: ['~~', '~~'],
  // Two of them, so that one may stand within. Blanks beside them would be seen, and fences have three, always.
  code: ['``', '``'],
  fence: (code, language) => `\`\`\`${language}\n${code}\n\`\`\``,
  heading: (text, level) => (level <= 3 ? commonMarkMarkup.heading(text, level) : `**${text}**`),
  // The numbers of lists stay: they look as they are written.
  escape: (text) => text.replace(/[\\*_~`|<[\]]/g, '\\$&').replace(/^(\s*)([#>-])/gm, '$1\\$2'),
  // Nothing can be escaped within code: a mark that would end it is kept apart from its like and from the edge.
  escapeCode: (code) =>
    code
      .replace(/`(?=`)/g, `\`${GAP}`)
      .replace(/^`/, `${GAP}\``)
      .replace(/`$/, `\`${GAP}`),
})
