/** The lines of blocks, for a terminal. */
import type { ViewBlock, ViewTone } from 'svc/sdk/dashboard'
import type { StyledLine, TextLayout, ThemeColor } from 'svc/sdk/terminal'

const ROLES: Readonly<Record<ViewTone, ThemeColor>> = {
  plain: 'text',
  dim: 'dim',
  ok: 'ok',
  warning: 'warning',
  error: 'error',
}
const BAR = 20
const GAP = 2

/** Lines of at most `width` cells. */
export function formatBlocks(layout: TextLayout, blocks: readonly ViewBlock[], width: number): readonly StyledLine[] {
  return blocks.flatMap((block) => formatBlock(layout, block, width)).map((line) => layout.cut(line, width))
}

function formatBlock(layout: TextLayout, block: ViewBlock, width: number): readonly StyledLine[] {
  const clean = (text: string) => layout.clean(text)
  const plain = (text: string) => clean(text).replaceAll('\n', ' ')
  switch (block.type) {
    case 'heading':
      return [[{ text: plain(block.text), role: 'heading' }]]
    case 'text':
      return layout.wrap([{ text: clean(block.text), role: ROLES[block.tone ?? 'plain'] ?? 'text' }], width)
    case 'code':
      return clean(block.text)
        .split('\n')
        .map((text): StyledLine => [{ text, role: 'code-block' }])
    case 'list':
      return block.items.flatMap((item) => layout.wrap([{ text: `• ${plain(item)}` }], width, [{ text: '  ' }]))
    case 'facts':
      return formatTable(
        layout,
        block.rows.map((row) => row.map(plain)),
        'dim',
      )
    case 'table': {
      const [head = [], ...rows] = formatTable(
        layout,
        [block.head, ...block.rows].map((row) => row.map(plain)),
      )
      return [head.map((span): StyledLine[number] => ({ ...span, role: 'title' })), ...rows]
    }
    case 'progress': {
      const share = Math.max(0, Math.min(1, block.value))
      const full = Math.round(share * BAR)
      return [
        [
          { text: `${plain(block.label)} ` },
          { text: '█'.repeat(full), role: 'accent' },
          { text: '░'.repeat(BAR - full), role: 'dim' },
          { text: ` ${Math.round(share * 100)}%` },
        ],
      ]
    }
    case 'commands':
      return block.items.map(
        ({ label, command }): StyledLine => [{ text: `${plain(label)}  ` }, { text: plain(command), role: 'accent' }],
      )
  }
}

/** Columns as wide as their widest cell; `first` is the colour of the first one. */
function formatTable(
  layout: TextLayout,
  rows: readonly (readonly string[])[],
  first: ThemeColor = 'text',
): readonly StyledLine[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => layout.width(row[at] ?? ''))))
  return rows.map((row) =>
    row.flatMap((text, at) => layout.pad([{ text, role: at === 0 ? first : 'text' }], (widths[at] ?? 0) + GAP)),
  )
}
