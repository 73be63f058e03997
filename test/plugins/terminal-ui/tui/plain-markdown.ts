/** Markdown without any marks: what matters here is when it is asked, not how it looks. Counts its work. */
import type { Markdown, StyledLine, TextLayout, ThemeColor } from 'svc/sdk/terminal'

/** A stand-in with a counter of the lines it laid out. */
export interface PlainMarkdown extends Markdown {
  readonly laid: { lines: number; calls: number }
}

export function plainMarkdown(layout: TextLayout): PlainMarkdown {
  const laid = { lines: 0, calls: 0 }
  const wrap = (text: string, width: number, role: (line: string) => ThemeColor): readonly StyledLine[] => {
    const lines = text.split('\n').flatMap((line) => layout.wrap([{ text: line, role: role(line) }], width))
    laid.lines += lines.length
    laid.calls++
    return lines
  }
  const answer = (text: string, width: number) => wrap(text, width, () => 'answer')
  return {
    laid,
    lines: answer,
    stream() {
      let text = ''
      return {
        append(more: string) {
          text += more
        },
        lines: (width: number) => answer(text, width),
        get text() {
          return text
        },
      }
    },
    code: (text) => text.split('\n').map((line) => [{ text: line, role: 'code' }]),
    diff: (text, width) =>
      wrap(text, width, (line) => (line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'text')),
  }
}
