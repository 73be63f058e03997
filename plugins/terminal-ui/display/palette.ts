/** From the few colours that make a look to how every role of text looks. */
import type { TextStyle, ThemeColor } from 'svc/sdk/terminal'

/** Colours as `#rrggbb`. */
export interface Palette {
  readonly text: string
  readonly dim: string
  readonly title: string
  readonly border: string
  /** What stands out: links, what is typed, the chosen line. */
  readonly accent: string
  readonly second: string
  readonly keyword: string
  readonly string: string
  readonly number: string
  readonly name: string
  readonly type: string
  readonly ok: string
  readonly warning: string
  readonly error: string
  /** Behind what is chosen, behind the status bar. */
  readonly chosen: string
  readonly bar: string
}

/** Every role. What must be told apart without colours is bold, italic or underlined, too. */
export function paint(palette: Palette): Readonly<Record<ThemeColor, TextStyle>> {
  const { text, dim, title, border, accent, second, ok, warning, error, chosen, bar } = palette
  return {
    text: { color: text },
    dim: { color: dim },
    title: { color: title, bold: true },
    accent: { color: accent },
    border: { color: border },
    prompt: { color: accent, bold: true },
    user: { color: second, bold: true },
    answer: { color: text },
    reasoning: { color: dim, italic: true },
    heading: { color: title, bold: true },
    code: { color: second },
    'code-block': { color: text },
    keyword: { color: palette.keyword },
    string: { color: palette.string },
    number: { color: palette.number },
    comment: { color: dim, italic: true },
    function: { color: palette.name },
    type: { color: palette.type },
    link: { color: accent, underline: true },
    quote: { color: dim, italic: true },
    tool: { color: second },
    ok: { color: ok },
    warning: { color: warning },
    error: { color: error, bold: true },
    added: { color: ok },
    removed: { color: error },
    selected: { color: text, background: chosen, bold: true },
    status: { color: text, background: bar },
    'status-dim': { color: dim, background: bar },
    'status-good': { color: ok, background: bar },
    'status-warning': { color: warning, background: bar },
    'status-bad': { color: error, background: bar, bold: true },
  }
}
