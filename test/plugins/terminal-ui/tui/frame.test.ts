import fc from 'fast-check'
import type { StyledLine, ToolRenderer } from 'svc/sdk/terminal'
import { describe, expect, it } from 'vitest'
import { type FrameInput, frame, screenFrame } from '../../../../plugins/terminal-ui/tui/frame.ts'
import { type BlockBody, empty, reduce, type State } from '../../../../plugins/terminal-ui/tui-transcript/state.ts'
import { Window } from '../../../../plugins/terminal-ui/tui-transcript/window.ts'
import { begin, end, layout, look, picture, quiet, renderText, stateAfter, t } from './look.ts'

const shell: ToolRenderer = {
  name: 'shell',
  tools: ['terminal'],
  title: ({ input }) => (input as { command: string }).command,
}
const editor: ToolRenderer = {
  name: 'editor',
  tools: ['write_file'],
  title: ({ input }) => (input as { path: string }).path,
  inline: ({ data }) => (data === undefined ? undefined : { kind: 'diff', text: String(data) }),
}
const banner = reduce(empty, { block: { kind: 'banner' } })
const day: State = stateAfter(
  [
    begin('Which files are here?'),
    { type: 'reasoning.delta', text: 'The user wants a list.' },
    { type: 'message.delta', text: 'I shall look at the folder and tell you what there is in it.' },
    { type: 'tool.start', callId: 'c1', name: 'terminal', input: { command: 'ls -la' } },
    { type: 'tool.running', callId: 'c1' },
    { type: 'tool.complete', callId: 'c1', name: 'terminal', ok: true, text: 'a\nb\nc' },
    { type: 'tool.start', callId: 'c2', name: 'write_file', input: { path: 'notes.md' } },
    { type: 'tool.complete', callId: 'c2', name: 'write_file', ok: true, text: 'ok', data: '-old\n+new' },
    { type: 'tool.start', callId: 'c3', name: 'web', input: { url: 'x' } },
    { type: 'tool.complete', callId: 'c3', name: 'web', ok: false, text: 'no such host' },
    { type: 'message.delta', text: 'Three files: a, b and c.' },
    end,
  ],
  banner,
)
const shown = (columns: number, rows: number, settings = {}) =>
  renderText(picture(day, { columns, rows }, { look: look(settings, [shell, editor]) }))

describe('a conversation', () => {
  it('is seen at 80 columns with everything in its place', () => {
    expect(`\n${shown(80, 30)}\n`).toMatchInlineSnapshot(`
      "
       ╭─ svc ──────────────────────────────────────────────────────────────────────╮
       │ What shall we do?                                                          │
       │ model    test-1                                                            │
       │ folder   /home/me/project                                                  │
       │ session  20260101_1                                                        │
       │ tools    12 in 4 toolsets                                                  │
       │ /help shows the commands                                                   │
       ╰────────────────────────────────────────────────────────────────────────────╯

       ❯ Which files are here?

         I shall look at the folder and tell you what there is in it.

       ┊ ✓ terminal ls -la · 1.0s · 3 lines
       ┊ ✓ write_file notes.md
       ┊   -old
       ┊   +new
       ┊ ✗ web {"url":"x"}
       ┊   no such host

         Three files: a, b and c.






      ────────────────────────────────────────────────────────────────────────────────
       ❯
       test-1 │ 30k/200k │ █░░░░░░░ 15%
      "
    `)
  })
  it('is seen at 40 columns without what does not fit', () => {
    expect(`\n${shown(40, 24)}\n`).toMatchInlineSnapshot(`
      "
      svc · test-1 · /home/me/project · /help…

      ❯ Which files are here?

        I shall look at the folder and tell
        you what there is in it.

      ┊ ✓ terminal ls -la · 1.0s · 3 lines
      ┊ ✓ write_file notes.md
      ┊   -old
      ┊   +new
      ┊ ✗ web {"url":"x"}
      ┊   no such host

        Three files: a, b and c.






      ────────────────────────────────────────
      ❯
      test-1 │ 15%
      "
    `)
  })
  it('is seen at 200 columns with lines as long as they are', () => {
    expect(`\n${shown(200, 26)}\n`).toMatchInlineSnapshot(`
      "
       ╭─ svc ────────────────────────────────────────────────────────────────────────────────────────────╮
       │ What shall we do?                                                                                │
       │ model    test-1                                                                                  │
       │ folder   /home/me/project                                                                        │
       │ session  20260101_1                                                                              │
       │ tools    12 in 4 toolsets                                                                        │
       │ /help shows the commands                                                                         │
       ╰──────────────────────────────────────────────────────────────────────────────────────────────────╯

       ❯ Which files are here?

         I shall look at the folder and tell you what there is in it.

       ┊ ✓ terminal ls -la · 1.0s · 3 lines
       ┊ ✓ write_file notes.md
       ┊   -old
       ┊   +new
       ┊ ✗ web {"url":"x"}
       ┊   no such host

         Three files: a, b and c.


      ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
       ❯
       test-1 │ 30k/200k │ █░░░░░░░ 15%
      "
    `)
  })
  it('is seen on a terminal of 20 columns and 5 rows, and on one of a single cell', () => {
    expect(`\n${shown(20, 5)}\n`).toMatchInlineSnapshot(`
      "

        Three files: a, b
        and c.
      ❯
      test-1 │ 15%
      "
    `)
    expect(shown(1, 1)).toHaveLength(1)
  })
  it('shows reasoning, times and costs where the settings say so', () => {
    const state = stateAfter([
      begin('x'),
      { type: 'reasoning.delta', text: Array.from({ length: 30 }, (_, at) => `thought ${at}`).join('\n') },
    ])
    const settings = { show_reasoning: true, show_cost: true }
    const streaming = renderText(picture(state, { columns: 80, rows: 40 }, { look: look(settings) }))
    expect(streaming.match(/thought \d+/g)).toEqual([25, 26, 27, 28, 29].map((at) => `thought ${at}`))
    const usage = { input: 12_345, output: 678, costUsd: 0.5 }
    const over = stateAfter([{ type: 'turn.end', reason: 'completed', usage }], state)
    const complete = renderText(picture(over, { columns: 80, rows: 40 }, { look: look(settings) }))
    expect(complete.match(/thought \d+/g)).toHaveLength(10)
    expect(complete).toContain('… 20 more lines')
    expect(complete).toContain('↑12.3k ↓678 · $0.50')
  })
  it('shows no tool calls, only new tools, or all of them with results', () => {
    expect(shown(80, 30, { tool_progress: 'off' })).not.toMatch(/terminal|notes\.md/)
    expect(shown(80, 30, { tool_progress: 'verbose' })).toMatch(/a\n.* b\n.* c\n/)
    expect(shown(80, 30, { inline_diffs: false })).not.toContain('+new')
  })
})

describe('any picture', () => {
  const bodies: BlockBody[] = [
    { kind: 'user', text: '你好，世界 👩‍💻 \u0301 שלום\ttab', images: 2 },
    { kind: 'answer', text: `${'漢字'.repeat(40)}\n\u001b[2J`, open: false },
    {
      kind: 'tool',
      callId: 'c',
      call: { name: '工具', input: { a: '長い' }, state: 'failed' },
      depth: 3,
      again: false,
    },
    { kind: 'agents', agents: [{ id: 'x', goal: 'look', state: 'running', text: 'so far' }] },
    { kind: 'approval', action: 'rm -rf /', choice: 'deny', by: 'me' },
    { kind: 'clarify', question: 'which?', answer: 'this', by: 'me' },
    { kind: 'compressed', before: 100_000, after: 2000, text: 'summary' },
    { kind: 'image', mediaType: 'image/png', bytes: 12_000 },
    { kind: 'notice', text: 'broken', tone: 'error', code: 'X' },
    { kind: 'end', reason: 'interrupted', usage: {} },
  ]
  const everything = bodies.reduce((state, block) => reduce(state, { block }), banner)

  it('fills the terminal exactly, whatever its size and whatever is in it', () => {
    const size = fc.record({ columns: fc.integer({ min: 1, max: 210 }), rows: fc.integer({ min: 1, max: 60 }) })
    fc.assert(
      fc.property(size, fc.nat(100), ({ columns, rows }, up) => {
        const transcript = new Window(look({ show_reasoning: true }))
        picture(everything, { columns, rows }, { transcript })
        transcript.scroll(-up)
        const { lines, cursor } = picture(everything, { columns, rows }, { transcript })
        expect(lines).toHaveLength(rows)
        for (const line of lines) expect(layout.lineWidth(line)).toBeLessThanOrEqual(columns)
        for (const line of lines) for (const { text } of line) expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
        expect(cursor && cursor.row < rows && cursor.column < columns).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})

describe('what stands between the transcript and the place where one types', () => {
  const parts = {
    columns: 80,
    rows: 20,
    transcript: ({ rows }: { rows: number }) => ({
      lines: Array.from({ length: rows }, (_, at) => [{ text: `t${at}` }]),
      fresh: 0,
    }),
    widgets: (place: string, { rows }: { rows: number }) => (place === 'above' ? [[{ text: `widget ${rows}` }]] : []),
    queue: ['one', 'two', 'three', 'four', 'five'].map((text) => ({ id: text, text })),
    indicator: [{ text: 'thinking' }],
    toasts: [[{ text: 'toast' }]],
    panel: () => ({ lines: [[{ text: '> ' }]], cursor: { row: 0, column: 2 } }),
    status: () => [{ text: 'status' }],
  }
  it('is there in its order while there is room', () => {
    const text = renderText(frame(parts, layout, t))
    const order = ['widget 5', '⋯ one', '⋯ two', '⋯ three', '2 more wait', 'toast', 'thinking', '───', '>', 'status']
    const places = order.map((word) => text.indexOf(word))
    expect(places).toEqual([...places].sort((one, two) => one - two))
    expect(places.every((place) => place >= 0)).toBe(true)
  })
  it('goes when the terminal is small, and the transcript and the cursor stay', () => {
    const { lines, cursor } = frame({ ...parts, rows: 5 }, layout, t)
    expect(renderText({ lines })).toMatch(/t0/)
    expect(lines).toHaveLength(5)
    expect(cursor).toEqual({ row: 3, column: 3 })
    expect(renderText(frame({ ...parts, rows: 1 }, layout, t)).trim()).toBe('>')
  })
})

describe('what is under the transcript', () => {
  const parts = {
    columns: 60,
    rows: 20,
    transcript: ({ rows }: { rows: number }) => ({
      lines: Array.from({ length: rows }, () => [{ text: 'said' }]),
      fresh: 0,
    }),
    widgets: (_: string): readonly StyledLine[] => [],
    queue: [],
    indicator: undefined,
    toasts: [],
    panel: () => ({ lines: [[{ text: '> ' }]], cursor: { row: 0, column: 2 } }),
    status: undefined,
  }
  const shown = (some: Partial<FrameInput>) => renderText(frame({ ...parts, ...some }, layout, t))
  const scrolled = (fresh: number) =>
    shown({ transcript: (room) => ({ ...parts.transcript(room), fresh, away: true }) })

  it('does not touch it', () => {
    expect(shown({ widgets: (place) => (place === 'above' ? [[{ text: 'plan' }]] : []) })).toMatch(/said\n\n plan\n─/)
    expect(shown({ queue: [{ id: 'q', text: 'next' }] })).toMatch(/said\n\n ⋯ next\n─/)
    expect(shown({})).toMatch(/said\n─/)
  })

  it('says where the end is when it is not seen, without covering a line, however much is new', () => {
    expect(shown({})).not.toContain('↓')
    expect(scrolled(0)).toMatch(/said\n─+ ↓ End ─+\n/)
    expect(scrolled(3)).toMatch(/said\n─+ ↓ 3 new lines · End ─+\n/)
    expect(scrolled(999)).toMatch(/─ ↓ 999\+ · End ─/)
  })
})

it('the keys of a screen stand on a bar from one side to the other', () => {
  const view = { lines: () => [], input: () => 'taken' as const, keys: 'Esc close' }
  const bar = screenFrame(view, { columns: 40, rows: 5 }, layout).lines.at(-1) ?? []
  expect([layout.lineWidth(bar), ...new Set(bar.map(({ role }) => role))]).toEqual([40, 'status'])
})

it('the bar drops what is least important and keeps its width', () => {
  const facts = {
    ...quiet,
    model: 'a-model-with-a-very-long-name-indeed',
    contextTokens: 170_000,
    cost: 1.5,
    elapsed: 65_000,
    queued: 2,
    urgent: [[{ text: '⚠ YOLO', role: 'status-bad' as const }]],
    items: [[{ text: 'main' }], [{ text: '2 in background' }]],
  }
  const bar = (columns: number) =>
    renderText(picture(empty, { columns, rows: 8 }, { facts }))
      .split('\n')
      .at(-1)
  expect(bar(120)).toBe(
    ' a-model-with-a-very-long-… │ ⚠ YOLO │ 170k/200k │ ███████░ 85% │ 1m 05s │ 2 queued │ $1.50 │ main │ 2 in background'.slice(
      0,
      120,
    ),
  )
  expect(bar(60)).toBe(' a-model-with-a-very-long-… │ ⚠ YOLO │ 170k/200k │ 85%')
  expect(bar(40)).toBe('a-model-with-a-very-long-… │ ⚠ YOLO')
  expect(bar(10)).toBe('a-model-w…')
  const roles = (tokens: number) =>
    picture(empty, { columns: 80, rows: 8 }, { facts: { ...quiet, contextTokens: tokens } })
      .lines.at(-1)
      ?.map(({ role }) => role)
  expect([roles(99_000), roles(100_000), roles(160_000), roles(162_000)].map((all) => all?.at(-2))).toEqual([
    'status-good',
    'status-warning',
    'status-warning',
    'status-bad',
  ])
})
