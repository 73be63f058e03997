/** The words that Zulip shows of its Markdown (zulip.com/help/format-your-message-using-markdown). */
import { wordsOfMarkdown } from 'svc/sdk/kit/stand-in'

/**
 * A block and a piece of code, a link whose text is shown as it is, a bare address, a reference to a character, the name of an emoji, a
 * formula, and characters that mean nothing there.
 */
const PIECES = new RegExp(
  [
    String.raw`^(?<ticks>\x60{3,})[^\n]*\n[\s\S]*?^\k<ticks>[ \t]*$`,
    String.raw`(?<run>\x60+)(?!\x60)[\s\S]*?[^\x60]\k<run>(?!\x60)`,
    String.raw`\[(?<label>[^\]\n]+)\]\((?<address>[^)\s]+)\)`,
    String.raw`https?:\/\/[^\s<>]+`,
    String.raw`&#(?<code>\d+);|&(?<name>amp|lt|gt|quot);`,
    ':(?<emoji>smile|100):',
    String.raw`\$\$(?<formula>[^\n_$](?:\\\$|[^$\n])*)\$\$`,
    String.raw`(?<plain>[\\<])|^(?<line>=+)$`,
  ].join('|'),
  'gm',
)
const NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
const EMOJI: Readonly<Record<string, string>> = { smile: '😄', '100': '💯' }

export function wordsOfZulip(raw: string): string {
  return wordsOfMarkdown(toCommonMark(raw), 'github')
}

/** What has another meaning in CommonMark gets a backslash. */
function toCommonMark(raw: string): string {
  return raw.replace(PIECES, (...match) => {
    const whole = match[0] as string
    const { label, address, code, name, emoji, formula, plain, line } = match.at(-1) as Record<
      string,
      string | undefined
    >
    if (label !== undefined) return `[${escapeMarks(label)}](${address})`
    if (code !== undefined) return escapeMarks(String.fromCodePoint(Number(code)))
    if (name !== undefined) return escapeMarks(NAMES[name] ?? '')
    if (emoji !== undefined) return EMOJI[emoji] ?? whole
    return formula ?? (plain !== undefined || line !== undefined ? escapeMarks(whole) : whole)
  })
}

function escapeMarks(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&')
}
