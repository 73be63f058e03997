/** `tools`: toolsets and tools of this surface, which of them are on, and why not. */
import {
  errorMessage,
  type Line,
  type PluginContext,
  type ScreenView,
  type TerminalUiHandle,
  TextLayout,
  type ToolState,
  type ToolsetState,
  Toolsets,
  translator,
} from 'svc/sdk'
import { List } from './list.ts'
import { listScreen } from './list-screen.ts'
import { matches, plain } from './text.ts'

interface Entry {
  readonly tool: ToolState
  readonly toolset: ToolsetState
}

export function toolsScreen(ctx: PluginContext<undefined>, ui: TerminalUiHandle): ScreenView {
  const t = translator(ctx)
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
      group: ({ toolset }) => plain(layout, toolset.name),
      row: (entry) => rowOf(layout, entry),
      details: (entry, { width }) => (entry ? layout.wrap(whyOf(entry), width) : []),
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

  function whyOf({ tool, toolset }: Entry): Line {
    const why = tool.on ? tool.missing : toolset.because
    if (why === undefined) return [{ text: tool.on ? t('On') : t('Off'), role: 'dim' }]
    return [
      {
        text: tool.on ? t('On, but {why}', { why: plain(layout, why) }) : t('Off: {why}', { why: plain(layout, why) }),
        role: 'warning',
      },
    ]
  }
}

function rowOf(layout: TextLayout, { tool: { name, on, missing }, toolset }: Entry) {
  const why = on ? missing : toolset.because
  const role = on ? (missing === undefined ? 'ok' : 'warning') : 'dim'
  const mark = on ? (missing === undefined ? '● ' : '◐ ') : '○ '
  return {
    left: [
      { text: mark, role },
      { text: plain(layout, name), ...(on ? {} : ({ role: 'dim' } as const)) },
      ...(why === undefined ? [] : [{ text: `  ${plain(layout, why)}`, role: 'dim' } as const]),
    ] satisfies Line,
  }
}
