/** What lines are made with, and text as lines. */
import type { ToolCallView, Translate } from 'svc/sdk'
import { countLines } from 'svc/sdk/kit/views'
import type { DisplaySettings, Markdown, StyledLine, TextLayout, Theme, ThemeColor } from 'svc/sdk/terminal'
import type { BlockBody } from './state.ts'

/** What lines are made with. */
export interface RenderContext {
  readonly layout: TextLayout
  readonly markdown: Markdown
  readonly settings: DisplaySettings
  readonly skin: Theme
  readonly t: Translate
  view(tool: string): ToolCallView | undefined
  /** What the front end is called where people decide. */
  readonly surface: string
  banner(width: number): readonly StyledLine[]
  /** What a renderer of a plugin makes of a block; undefined leaves it to this plugin. */
  custom?(
    block: BlockBody,
    room: { readonly width: number; readonly isUnfolded: boolean },
  ): readonly StyledLine[] | undefined
  now(): number
}

/** Control characters are shown; a tab is left to the code that knows its column. */
export function tidy(text: string, layout: TextLayout): string {
  return text
    .split('\t')
    .map((part) => layout.clean(part, 'visible'))
    .join('\t')
}

/** Text as it is, wrapped, with a word on what was left out. */
export function renderPlain(
  text: string,
  role: ThemeColor,
  width: number,
  look: RenderContext,
  most: number,
): readonly StyledLine[] {
  const { layout, t } = look
  const room = most * Math.max(width, 20) * 4
  const lines: StyledLine[] = []
  const given = layout.clean(text.slice(0, room).replace(/\s+$/, ''), 'visible').split('\n')
  for (const [at, line] of given.entries()) {
    lines.push(...layout.wrap([{ text: line, role }], Math.max(1, width)))
    if (lines.length > most || (at === given.length - 1 && text.length > room)) {
      const more = Math.max(1, lines.length - most + countLines(text) - at - 1)
      const said = `… ${t('{count, plural, one {# more line} other {# more lines}}', { count: more })}`
      return [...lines.slice(0, most), layout.cut([{ text: said, role: 'dim' }], width)]
    }
  }
  return lines
}

/** On one line of limited length. A line break is shown: without it a script would mean something else. */
export function oneLine(text: string, { layout }: Pick<RenderContext, 'layout'>): string {
  const flat = text
    .slice(0, 2000)
    .trim()
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .replace(/\s+/g, ' ')
  return layout.clean(flat, 'visible')
}
