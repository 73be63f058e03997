import { type Conversation, definePlugin } from 'svc/sdk'
import { type SharedView, SharedViews, type ViewBlock } from 'svc/sdk/dashboard'
import { Overlays, type StyledLine, type TuiContext, Widgets } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

const blocks: readonly ViewBlock[] = [
  { type: 'heading', text: 'Ships' },
  { type: 'text', text: 'two are\u001b[31m in', tone: 'warning' },
  { type: 'facts', rows: [['Berths', '12']] },
  {
    type: 'table',
    head: ['Name', 'Berth'],
    rows: [
      ['Aurora', '3'],
      ['日本', '4'],
    ],
  },
  { type: 'list', items: ['a long item that is wrapped'] },
  { type: 'progress', label: 'Full', value: 0.25 },
  { type: 'code', text: 'x = 1\ny = 2' },
  { type: 'commands', items: [{ label: 'Look', command: '/look' }] },
]

const view = (more: Partial<SharedView> = {}): SharedView => ({
  name: 'harbour',
  title: 'Harbour',
  place: 'page',
  blocks: () => blocks,
  ...more,
})

async function openViews(...views: readonly SharedView[]) {
  const kernel = await testKernel({
    plugins: ['tui-views', 'tui'],
    with: [
      {
        ...definePlugin({
          setup(ctx) {
            for (const each of views) ctx.add(SharedViews, each)
          },
        }),
        name: 'harbour-master',
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  return kernel
}

const text = (lines: readonly StyledLine[]) =>
  lines.map((line) =>
    line
      .map((span) => span.text)
      .join('')
      .trimEnd(),
  )
const conversation = { sessionId: 's1' } as Conversation
const ui = { conversation, redraw: () => undefined } as TuiContext
const key = (name: string) => ({ type: 'key', name }) as const

test('a page is a screen: each block has its lines, no line is too long, and no control gets through', async () => {
  const kernel = await openViews(view())
  const screen = kernel.all(Overlays).get('view-harbour')
  expect(screen?.title).toBe('Harbour')
  const lines = screen?.open(ui).lines({ width: 24, rows: 40 }) ?? []
  expect(text(lines)).toEqual([
    'Ships',
    'two are in',
    'Berths  12',
    'Name    Berth',
    'Aurora  3',
    '日本    4',
    '• a long item that is',
    '  wrapped',
    'Full █████░░░░░░░░░░░░░…',
    'x = 1',
    'y = 2',
    'Look  /look',
  ])
  expect(lines[1]?.[0]?.role).toBe('warning')
})

test('a long screen is scrolled, and no further than its ends', async () => {
  const kernel = await openViews(view())
  const screen = kernel.all(Overlays).get('view-harbour')?.open(ui)
  const first = () => text(screen?.lines({ width: 40, rows: 3 }) ?? [])[0]
  expect(first()).toBe('Ships')
  for (const [name, shown] of [
    ['down', 'two are in'],
    ['pagedown', 'Name    Berth'],
    ['end', ''],
    ['down', 'x = 1'],
    ['home', 'Ships'],
    ['up', 'Ships'],
  ] as const) {
    expect(screen?.input(key(name))).toBe('taken')
    if (name === 'end') expect(text(screen?.lines({ width: 40, rows: 3 }) ?? []).at(-1)).toBe('Look  /look')
    else expect([name, first()]).toEqual([name, shown])
  }
  expect(screen?.input(key('escape'))).toBe('ignored')
})

test('a view of the chat is told the session, is drawn again when it changes, and keeps to its room', async () => {
  const listeners = new Set<() => void>()
  const kernel = await openViews(
    view({
      place: 'composer',
      blocks: ({ sessionId }) => [
        { type: 'text', text: `of ${sessionId}` },
        { type: 'text', text: 'second' },
      ],
      onChange(changed) {
        listeners.add(changed)
        return () => void listeners.delete(changed)
      },
    }),
    view({ name: 'foot', place: 'sidebar' }),
    view({ name: 'aside', place: 'sessions:top' }),
  )
  const widget = kernel.all(Widgets).get('view-harbour')
  expect(widget?.place).toBe('above')
  expect(kernel.all(Widgets).get('view-foot')?.place).toBe('footer')
  expect(kernel.all(Widgets).get('view-aside')).toBeUndefined()
  expect(text(widget?.lines(conversation, { width: 40, rows: 1 }) ?? [])).toEqual(['of s1'])
  let redraws = 0
  const stop = widget?.onChange?.(() => redraws++)
  for (const changed of listeners) changed()
  expect(redraws).toBe(1)
  await stop?.()
  expect(listeners.size).toBe(0)
})

test('a view that fails, or returns something else, is a line with the name of its plugin', async () => {
  const fail = () => {
    throw new Error('out of ships')
  }
  const kernel = await openViews(
    view({ blocks: fail }),
    view({ name: 'odd', place: 'composer', blocks: () => [{ type: 'picture' }] as never }),
  )
  const screen = kernel.all(Overlays).get('view-harbour')?.open(ui)
  expect(text(screen?.lines({ width: 60, rows: 5 }) ?? [])).toEqual(['Harbour: the plugin harbour-master failed here.'])
  expect(text(kernel.all(Widgets).get('view-odd')?.lines(conversation, { width: 60, rows: 5 }) ?? [])).toEqual([
    'Harbour: the plugin harbour-master failed here.',
  ])
  expect(kernel.plugins.problems().some(({ plugin }) => plugin === 'harbour-master')).toBe(true)
})

test('views come and go with their plugins', async () => {
  const kernel = await openViews(view())
  expect(kernel.all(Overlays).get('view-harbour')).toBeDefined()
  await kernel.plugins.disable('harbour-master')
  expect(kernel.all(Overlays).get('view-harbour')).toBeUndefined()
})

test('a name that is no address and a place that there is not are refused', async () => {
  for (const more of [{ name: 'Harbour Page' }, { place: 'attic' }, { place: 'sessions:left' }]) {
    const kernel = await openViews(view(more as Partial<SharedView>))
    expect(kernel.plugins.info('harbour-master')?.status).toBe('failed')
    expect(kernel.plugins.info('harbour-master')?.reason).toMatch(/has the (?:name|place)/)
  }
})
