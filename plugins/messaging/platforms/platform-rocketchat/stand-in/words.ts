/** The words that Rocket.Chat shows of its Markdown (docs.rocket.chat/docs/message-formatting). */
import { wordsOfMarkdown } from 'svc/sdk/kit/stand-in'

/** Code, a bare address, a mark that is escaped, one of italics, and characters that mean nothing there. */
const PIECES =
  /^(?<ticks>`{3,})[^\n]*\n[\s\S]*?^\k<ticks>[ \t]*$|(?<run>`+)(?!`)[\s\S]*?[^`]\k<run>(?!`)|\]\([^)\s]+\)|https?:\/\/[^\s<>]*[^\s<>?!.,:*_~]|\\[*_~`#.]|(?<![\p{L}\p{N}])(?<open>_)(?=\S)|(?<=\S)(?<close>_)(?![\p{L}\p{N}])|(?<plain>[\\<&]|\[(?![^[\]\n]*\]\())|^(?<line>=+)$/gmu

export function wordsOfRocketChat(raw: string): string {
  const text = raw.replace(PIECES, (...match) => {
    const whole = match[0] as string
    const { open, close, plain, line } = match.at(-1) as Record<string, string | undefined>
    if (open !== undefined || close !== undefined) return ''
    return plain !== undefined || line !== undefined ? whole.replace(/[\\<&=[]/g, '\\$&') : whole
  })
  return wordsOfMarkdown(text, 'github')
}
