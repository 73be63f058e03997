import fc from 'fast-check'
import { type TerminalInput, TextLayout } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { List } from '../../../../plugins/terminal-ui/tui-panes/list.ts'
import { listScreen } from '../../../../plugins/terminal-ui/tui-panes/list-screen.ts'
import { expectFits } from './interface.ts'

const kernelWithLayout = async () => {
  const kernel = await testKernel({ plugins: ['typography'] })
  onTestFinished(() => kernel.stop())
  return kernel.use(TextLayout)
}

interface Item {
  readonly name: string
  readonly group: string
}

const createItems = (count: number): Item[] =>
  Array.from({ length: count }, (_, at) => ({ name: `item ${at} 日本`, group: `group ${Math.floor(at / 3)}` }))

function createList(layout: TextLayout, source: () => readonly Item[], begin: 'filter' | 'list' = 'list') {
  return new List<Item>(
    layout,
    {
      title: 'Things',
      items: (filter) => source().filter(({ name }) => name.includes(filter)),
      id: ({ name }) => name,
      group: ({ group }) => group,
      row: ({ name }) => ({ left: [{ text: name }], right: [{ text: 'fact', role: 'dim' }] }),
      details: (item) => [[{ text: `about ${item?.name}` }], [{ text: 'more' }], [{ text: 'too much' }]],
      empty: () => 'Nothing',
    },
    begin,
  )
}

const renderText = <Any>(list: List<Any>, width: number, rows: number) =>
  list.lines({ width, rows }).map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  )

test('a list has its groups, the cursor, facts on the right, and details at the bottom', async () => {
  const list = createList(await kernelWithLayout(), () => createItems(4))
  list.key('down')
  expect(renderText(list, 30, 10)).toEqual([
    'Things  2/4',
    'group 0',
    '  item 0 日本             fact',
    '❯ item 1 日本             fact',
    '  item 2 日本             fact',
    'group 1',
    '  item 3 日本             fact',
    '─'.repeat(30),
    'about item 1 日本',
    'more',
  ])
})

test('with little room first the details go, then the title, and the item below the cursor stays', async () => {
  const list = createList(await kernelWithLayout(), () => createItems(9))
  list.key('end')
  expect(renderText(list, 30, 4)).toEqual([
    'Things  9/9',
    '  item 6 日本             fact',
    '  item 7 日本             fact',
    '❯ item 8 日本             fact',
  ])
  expect(renderText(list, 30, 2)).toEqual(['Things  9/9', '❯ item 8 日本             fact'])
  expect(renderText(list, 30, 1)).toEqual(['❯ item 8 日本             fact'])
  expect(renderText(list, 12, 1)).toEqual(['❯ item 8 日…'])
  expect(renderText(list, 30, 0)).toEqual([])
})

test('where there is room, nothing stands at the edge', async () => {
  const layout = await kernelWithLayout()
  const list = createList(layout, () => createItems(4))
  const lines = list.lines({ width: 60, rows: 10 })
  for (const line of lines) expect(line[0]).toEqual({ text: ' ' })
  expect(Math.max(...lines.map((line) => layout.lineWidth(line)))).toBe(59)
})

test('a list with nothing in it has no line in its middle, unless there is something to tell', async () => {
  const layout = await kernelWithLayout()
  const model = { title: 'Things', items: () => [], id: () => '', row: () => ({ left: [] }), empty: () => 'Nothing' }
  const told = (details: () => { text: string }[][]) =>
    renderText(new List(layout, { ...model, details }, 'list'), 30, 10)
  expect(told(() => [])).toEqual(['Things  0', '  Nothing'])
  expect(told(() => [[{ text: 'all of them' }]]).slice(-3)).toEqual(['─'.repeat(30), 'all of them', ''])
})

test('when items come and go the cursor stays on its item, else at its place', async () => {
  let items = createItems(5)
  const list = createList(await kernelWithLayout(), () => items)
  list.key('down')
  list.key('down')
  items = items.slice(1)
  list.changed()
  expect(list.selected?.name).toBe('item 2 日本')
  items = items.filter(({ name }) => !name.startsWith('item 2'))
  list.changed()
  expect(list.selected?.name).toBe('item 3 日本')
  items = []
  list.changed()
  expect(list.selected).toBeUndefined()
  expect(renderText(list, 30, 4)).toEqual(['Things  0', '  Nothing'])
})

test('an alarm that has no room for itself takes that of the title, or of the item', async () => {
  const list = createList(await kernelWithLayout(), () => createItems(2))
  const said = (rows: number) =>
    list.lines({ width: 30, rows }, [{ text: 'Sure?' }]).map((line) =>
      line
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
  expect(said(1)).toEqual(['Sure?'])
  expect(said(2)).toEqual(['Sure?', '❯ item 0 日本             fact'])
  expect(said(5)).toContain('Sure?')
})

const input: fc.Arbitrary<TerminalInput> = fc.oneof(
  fc
    .constantFrom(
      'up',
      'down',
      'pageup',
      'pagedown',
      'home',
      'end',
      'tab',
      'backspace',
      'C-u',
      'C-w',
      'f5',
      '/',
      'x',
      'é',
    )
    .map((name) => ({ type: 'key', name }) as const),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => ({ type: 'text', text }) as const),
  fc.string({ unit: 'grapheme', maxLength: 300 }).map((text) => ({ type: 'paste', text }) as const),
  fc
    .constantFrom('wheel-up', 'wheel-down', 'press')
    .map((action) => ({ type: 'mouse', action, row: 1, column: 1 }) as const),
  fc.constant({ type: 'resize' } as const),
)

test('whatever is typed in whatever room, the lines fit and the cursor is seen', async () => {
  const layout = await kernelWithLayout()
  const room = fc.record({ width: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 30 }) })
  fc.assert(
    fc.property(
      fc.nat(60),
      fc.constantFrom('filter', 'list'),
      fc.array(fc.tuple(input, room)),
      (count, begin, steps) => {
        const list = createList(layout, () => createItems(count), begin as 'filter' | 'list')
        const view = listScreen<Item>({ list, keys: () => '', key: () => 'ignored' })
        for (const [typed, size] of steps) {
          view.input(typed)
          const lines = view.lines(size)
          expectFits(layout, lines, size)
          const seen = lines.some((line) => line.some(({ role }) => role === 'selected'))
          expect(seen).toBe(list.selected !== undefined)
        }
      },
    ),
    { numRuns: 200 },
  )
})
