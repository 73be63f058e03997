/** `tools`: toolsets and tools of this surface, which of them are on, and why not. */
import { createTranslator, errorMessage, type PluginContext } from 'svc/sdk'
import { type ToolStatus, type ToolsetStatus, Toolsets } from 'svc/sdk/host'
import { type OverlayView, type StyledLine, TextLayout, type TuiContext } from 'svc/sdk/terminal'
import { List } from './list.ts'
import { listScreen } from './list-screen.ts'
import { matches, toPlainLine } from './text.ts'

interface Entry {
  readonly tool: ToolStatus
  readonly toolset: ToolsetStatus
}

export function toolsScreen(ctx: PluginContext<undefined>, ui: TuiContext): OverlayView {
  const t = createTranslator(ctx)
  const layout = ctx.use(TextLayout)
  const read = () => ctx.find(Toolsets)?.list(ui.conversation.front.surface) ?? []
  let toolsets = read()
  const list = new List<Entry>(
    layout,
    {
      title: t('Tools'),
      items: (filter) =>
        toolsets
          .flatMap((toolset) => toolset.tools.map((tool) => ({ tool, toolset })))
          .filter(({ tool, toolset }) => matches(`${tool.name} ${toolset.name}`.toLowerCase(), filter.trim())),
      id: ({ tool }) => tool.name,
      group: ({ toolset }) => toPlainLine(layout, toolset.name),
      row: (entry) => renderRow(layout, entry),
      details: (entry, { width }) => (entry ? layout.wrap(renderReason(entry), width) : []),
      empty: () => t('Nothing found'),
    },
    'list',
  )
  return listScreen<Entry>({
    list,
    keys: () => t('Space on/off · ^T toolset · Esc close'),
    key(name, entry) {
      if (!entry || (name !== ' ' && name !== 'C-t')) return 'ignored'
      const { name: what, on } = name === 'C-t' ? entry.toolset : entry.tool
      const line = `/tools ${on ? 'disable' : 'enable'} ${what}`
      const shown = () => {
        toolsets = read()
        list.changed()
        ui.redraw()
      }
      ui.conversation.type(line).then(shown, (error: unknown) => ui.toast(errorMessage(error), 'error'))
      return 'taken'
    },
  })

  function renderReason({ tool, toolset }: Entry): StyledLine {
    const why = tool.on ? tool.missing : toolset.because
    if (why === undefined) return [{ text: tool.on ? t('On') : t('Off'), role: 'dim' }]
    return [
      {
        text: tool.on
          ? t('On, but {why}', { why: toPlainLine(layout, why) })
          : t('Off: {why}', { why: toPlainLine(layout, why) }),
        role: 'warning',
      },
    ]
  }
}

function renderRow(layout: TextLayout, { tool: { name, on, missing }, toolset }: Entry) {
  const why = on ? missing : toolset.because
  const role = on ? (missing === undefined ? 'ok' : 'warning') : 'dim'
  const mark = on ? (missing === undefined ? '● ' : '◐ ') : '○ '
  return {
    left: [
      { text: mark, role },
      { text: toPlainLine(layout, name), ...(on ? {} : ({ role: 'dim' } as const)) },
      ...(why === undefined ? [] : [{ text: `  ${toPlainLine(layout, why)}`, role: 'dim' } as const]),
    ] satisfies StyledLine,
  }
}
