/** How text is marked up in messages of robots: a part of Markdown (open.dingtalk.com/document/robots, "markdown"). */
import { commonMarkMarkup, type Markup } from 'svc/sdk/platform'

/** What would mean something: marks of styles anywhere or at the edge of a word, links, and what begins a block. */
const MEANT = new RegExp(
  [
    '\\\\(?=[\\\\*`_[\\]#>]|$)',
    '[*`]',
    String.raw`(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])`,
    String.raw`\[(?=[^\]]*\]\()`,
    String.raw`(?<=^[ \t]*)(?:#(?=#*(?:[ \t]|$))|>)`,
  ].join('|'),
  'gmu',
)

export const markup: Markup = {
  ...commonMarkMarkup,
  code: ['`', '`'],
  fence: (code, language) => `\`\`\`${language}\n${code}\n\`\`\``,
  escape: (text) => text.replace(MEANT, '\\$&'),
  // A fence within code would end it and cannot be escaped: it is split by an invisible character.
  escapeCode: (code) => code.replaceAll('```', '`\u200b`\u200b`'),
}
