/** An interface for tests: a real kernel with real sessions, and a front end that writes down what it is told. */
import type { InlinePlugin } from 'svc'
import { type Conversation, type QueuedMessage, type Session, Sessions, type TurnEventData } from 'svc/sdk'
import {
  type Overlay,
  Overlays,
  type StyledLine,
  type TerminalInput,
  TextLayout,
  type TuiContext,
} from 'svc/sdk/terminal'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished } from 'vitest'

export interface StageOptions {
  readonly plugins?: readonly string[]
  readonly with?: readonly InlinePlugin[]
  readonly queue?: readonly QueuedMessage[]
  readonly cwd?: string
}

/** What an interface was told. */
export interface Told {
  readonly toasts: string[]
  readonly typed: string[]
  readonly inserted: string[]
  readonly shown: string[]
  readonly switched: string[]
  readonly scrolled: number[]
  redraws: number
}

export async function openInterface(options: StageOptions = {}) {
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['tui-panes', ...(options.plugins ?? [])],
    with: options.with ?? [],
    clock,
  })
  onTestFinished(() => kernel.stop())
  expect(kernel.plugins.info('tui-panes')?.status).toBe('started')
  const sessions = kernel.use(Sessions)
  const cwd = options.cwd ?? '/work/project'
  const session = sessions.create({ surface: 'cli', cwd, title: 'the open one' })
  const told: Told = { toasts: [], typed: [], inserted: [], shown: [], switched: [], scrolled: [], redraws: 0 }
  const ui = handle(session, told, [...(options.queue ?? [])])
  const layout = kernel.use(TextLayout)
  const renderText = (lines: readonly StyledLine[]) =>
    lines.map((line) =>
      line
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
  const open = (name: string) => {
    const view = (kernel.all(Overlays).get(name) as Overlay).open(ui)
    onTestFinished(() => view.close?.())
    return {
      view,
      /** Keys by their names; `:words` are typed. */
      press: (...keys: readonly string[]) => keys.map((key) => view.input(toInput(key))).at(-1),
      /** The width is that between the margins. */
      text: (width = 80, rows = 20) => {
        const margin = width < 60 ? 0 : 1
        return renderText(view.lines({ width: width + 2 * margin, rows })).map((line) => line.slice(margin))
      },
    }
  }
  return { kernel, clock, sessions, session, ui, told, layout, open, renderText }
}

export const toInput = (key: string): TerminalInput =>
  key.length > 1 && key.startsWith(':') ? { type: 'text', text: key.slice(1) } : { type: 'key', name: key }

function handle(session: Session, told: Told, queue: QueuedMessage[]): TuiContext {
  const conversation = {
    sessionId: session.id,
    cwd: session.cwd,
    front: { surface: 'cli', commands: 'cli', show: () => {}, say: () => {}, changed: () => {} },
    settings: {},
    busy: false,
    open: true,
    get queue() {
      return queue
    },
    unqueue(id: string) {
      const at = queue.findIndex((message) => message.id === id)
      return at < 0 ? undefined : queue.splice(at, 1)[0]
    },
    type: async (text: string) => void told.typed.push(text),
    switchTo: async (target: string | (() => string)) => {
      const id = typeof target === 'function' ? target() : target
      if (id === 'gone') throw new Error('There is no such session.')
      told.switched.push(id)
    },
  } as unknown as Conversation
  return {
    conversation,
    redraw: () => {
      told.redraws++
    },
    show: (screen) => void told.shown.push(screen),
    toast: (text) => void told.toasts.push(text),
    choose: async () => undefined,
    insert: (text) => void told.inserted.push(text),
    open: async () => undefined,
    draft: '',
    field: () => {
      throw new Error('no field here')
    },
    setTitle: () => undefined,
    notify: () => 'bell',
    bell: () => undefined,
    runProgram: (work) => work(),
    addEntry: () => undefined,
    scrollTo(message) {
      told.scrolled.push(message)
      return true
    },
  }
}

/** A session in which something was said. */
export function talk(sessions: Sessions, title: string, texts: readonly string[] = ['hello'], cwd = '/work/project') {
  const session = sessions.create({ surface: 'cli', cwd, title })
  const events: TurnEventData[] = [{ type: 'turn.start', text: texts[0] ?? '', provider: 'fake', model: 'fake-1' }]
  session.record({ turnId: 'turn_1', events, messages: texts.map((text) => ({ role: 'user', text })) })
  session.record({ turnId: 'turn_1', events: [{ type: 'turn.end', reason: 'completed', usage: {} }] })
  return session
}

/** Every line fits, holds nothing that a terminal obeys, and there are not too many. */
export function expectFits(
  layout: TextLayout,
  lines: readonly StyledLine[],
  room: { width: number; rows: number },
): void {
  expect(lines.length).toBeLessThanOrEqual(room.rows)
  for (const line of lines) {
    expect(layout.lineWidth(line)).toBeLessThanOrEqual(room.width)
    expect(line.map(({ text }) => text).join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
  }
}
