/** What lines and pictures are made with in tests: real layout, settings, skin and texts; plain Markdown; a still clock. */
import type { Translate, TurnEvent, TurnEventData } from 'svc/sdk'
import type { DisplaySettings, Frame, StyledLine, TextLayout, ToolRenderer } from 'svc/sdk/terminal'
import { formatMessage } from '../../../../plugins/configuration/language/message.ts'
import { settings as defaults } from '../../../../plugins/terminal-ui/display/config.ts'
import { DEFAULT_SKIN } from '../../../../plugins/terminal-ui/display/skins.ts'
import { bannerLines } from '../../../../plugins/terminal-ui/tui/banner.ts'
import { frame } from '../../../../plugins/terminal-ui/tui/frame.ts'
import { type StatusFacts, statusLine } from '../../../../plugins/terminal-ui/tui/status-bar.ts'
import type { RenderContext } from '../../../../plugins/terminal-ui/tui-transcript/render-context.ts'
import { empty, listBlocks, reduce, type State } from '../../../../plugins/terminal-ui/tui-transcript/state.ts'
import { Window } from '../../../../plugins/terminal-ui/tui-transcript/window.ts'
import { textLayout } from '../../../../plugins/terminal-ui/typography/layout.ts'
import { type PlainMarkdown, plainMarkdown } from './plain-markdown.ts'

export const layout: TextLayout = textLayout()
export const t: Translate = (english, values) => formatMessage('en', english, values)

/** A look with some settings and views. */
export function look(
  settings: Partial<DisplaySettings> = {},
  views: readonly ToolRenderer[] = [],
): RenderContext & { readonly markdown: PlainMarkdown } {
  const base = {
    layout,
    markdown: plainMarkdown(layout),
    settings: { ...(defaults.parse({}) as unknown as DisplaySettings), ...settings },
    skin: DEFAULT_SKIN,
    t,
    view: (tool: string) => views.find(({ tools }) => tools.includes(tool)),
    now: () => 10_000,
    surface: 'cli',
  }
  const facts = {
    model: 'test-1',
    cwd: '/home/me/project',
    sessionId: '20260101_1',
    tools: 12,
    toolsets: 4,
    isDemo: false,
  }
  return { ...base, banner: (width) => bannerLines(facts, width, base) }
}

let seq = 0
/** An event of a turn. */
export function event(body: TurnEventData): TurnEvent {
  return { ...body, sessionId: 's', turnId: 't', seq: ++seq }
}

/** The state after some events, one second apart. */
export function stateAfter(bodies: readonly TurnEventData[], from: State = empty): State {
  return bodies.reduce((state, body, at) => reduce(state, { event: event(body), at: at * 1000 }), from)
}

/** A turn that begins. */
export const begin = (text: string): TurnEventData => ({
  type: 'turn.start',
  text,
  provider: 'fake',
  model: 'test-1',
})
export const end: TurnEventData = { type: 'turn.end', reason: 'completed', usage: {} }

export const quiet: StatusFacts = {
  model: 'test-1',
  contextTokens: 30_000,
  window: 200_000,
  cost: undefined,
  elapsed: undefined,
  queued: 0,
  urgent: [],
  items: [],
}

/** The picture of a state. */
export function picture(
  state: State,
  size: { readonly columns: number; readonly rows: number },
  options: { readonly transcript?: Window; readonly look?: RenderContext; readonly facts?: StatusFacts } = {},
): Frame {
  const transcript = options.transcript ?? new Window(options.look ?? look())
  const typed: StyledLine = [{ text: '❯ ', role: 'prompt' }]
  return frame(
    {
      ...size,
      transcript: ({ width, rows }) => transcript.view(listBlocks(state), width, rows),
      widgets: () => [],
      queue: [],
      indicator: undefined,
      toasts: [],
      panel: ({ width }) => ({ lines: [layout.cut(typed, width)], cursor: { row: 0, column: 2 } }),
      status: (width) => statusLine(options.facts ?? quiet, width, layout, t),
    },
    layout,
    t,
  )
}

/** A picture as text. */
export const renderText = ({ lines }: { readonly lines: readonly StyledLine[] }): string =>
  lines.map((line) => joinSpans(line).trimEnd()).join('\n')

/** The words of a line. */
export const joinSpans = (line: StyledLine): string => line.map(({ text }) => text).join('')
