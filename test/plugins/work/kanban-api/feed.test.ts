/** The live feed of the board. */
import { Boards } from 'svc/sdk/kanban'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'
import { type ApiDesk, openApi, parseEvents } from '../../http/api-server/desk.ts'

const STREAM = '/api/plugins/kanban/events/stream'

interface Feed {
  /** Events of the next batch that has some. */
  next(): Promise<readonly { readonly id: number; readonly kind: string; readonly task_id: string }[]>
  /** The id of the last event of the stream, as a client keeps it. */
  readonly cursor: string | undefined
  leave(): void
}

async function openFeed({ ask }: ApiDesk, path: string, headers: Record<string, string> = {}): Promise<Feed> {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await ask(path, { headers, signal: leaving.signal })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let cursor: string | undefined
  const nextBlock = async (): Promise<string> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end + 2)
        text = text.slice(end + 2)
        return block
      }
      const part = await reader?.read()
      if (!part || part.done) throw new Error('the feed has ended')
      text += part.value
    }
  }
  const feed = {
    get cursor() {
      return cursor
    },
    async next() {
      for (;;) {
        const [event] = parseEvents(await nextBlock())
        cursor = event?.id ?? cursor
        if (event && event.data.events.length > 0) return event.data.events
      }
    },
    leave: () => leaving.abort(),
  }
  const [first] = parseEvents(await nextBlock())
  expect(first?.data.events).toEqual([])
  cursor = first?.id
  return feed
}

test('a client hears of changes of other processes, and one that comes back has missed nothing and hears nothing twice', async () => {
  const desk = await openApi(['x'], { plugins: ['kanban-api'] })
  // Another kernel with the same home has connections of its own, as another process has.
  const other = await testKernel({ home: desk.kernel.home, plugins: ['kanban'] })
  onTestFinished(() => other.stop())
  const boards = other.use(Boards)
  const feed = await openFeed(desk, STREAM)
  const { task } = await boards.create({ title: 'one', by: 'anna' })
  expect(await feed.next()).toMatchObject([{ kind: 'created', task_id: task.id }])
  feed.leave()
  await boards.comment(task.id, { author: 'anna', body: 'while nobody listens' })
  await boards.block(task.id, { by: 'anna', reason: 'later' })
  const again = await openFeed(desk, STREAM, { 'last-event-id': feed.cursor ?? '' })
  expect((await again.next()).map(({ kind }) => kind)).toEqual(['commented', 'blocked'])
  await boards.unblock(task.id, { by: 'anna' })
  expect((await again.next()).map(({ kind }) => kind)).toEqual(['unblocked'])
})

test('a client that was cut off before anything happened goes on from the beginning of its feed', async () => {
  const desk = await openApi(['x'], { plugins: ['kanban-api'] })
  const boards = desk.kernel.use(Boards)
  await boards.create({ title: 'before', by: 'anna' })
  const feed = await openFeed(desk, STREAM)
  feed.leave()
  const { task } = await boards.create({ title: 'between', by: 'anna' })
  const again = await openFeed(desk, STREAM, { 'last-event-id': feed.cursor ?? '' })
  expect(await again.next()).toMatchObject([{ kind: 'created', task_id: task.id }])
})

test('a feed is about its board and its kinds, and comes in batches', async () => {
  const desk = await openApi(['x'], { plugins: ['kanban-api'] })
  const boards = desk.kernel.use(Boards)
  await boards.createBoard({ slug: 'work' })
  const { task } = await boards.create({ title: 'work', board: 'work', by: 'anna' })
  for (let at = 0; at < 205; at++) await boards.comment(task.id, { author: 'anna', body: String(at) })
  await boards.create({ title: 'elsewhere', by: 'anna' })
  await boards.block(task.id, { by: 'anna', reason: 'enough' })
  const feed = await openFeed(desk, `${STREAM}?since=0&board=work&kinds=commented,blocked`)
  expect(await feed.next()).toHaveLength(200)
  expect((await feed.next()).map(({ kind }) => kind)).toEqual([...Array(5).fill('commented'), 'blocked'])
  const all = await openFeed(desk, `${STREAM}?since=0&board=*&kinds=created`)
  expect(await all.next()).toHaveLength(2)
  const none = await desk.read(`${STREAM}?board=none`)
  expect([none.status, none.body.code]).toEqual([404, 'kanban_board_unknown'])
})

test('a page of the dashboard follows the board over a WebSocket, and goes on where it was', async () => {
  const { kernel, socket, token } = await openDashboard({ plugins: ['kanban-api'] })
  const boards = kernel.use(Boards)
  const follow = (query: string) => {
    const opened = socket(`/api/plugins/kanban/events?token=${token}${query}`)
    const batches: { readonly events: readonly { readonly kind: string }[]; readonly cursor: number }[] = []
    opened.on('message', (data) => void batches.push(JSON.parse(String(data))))
    onTestFinished(() => opened.terminate())
    return { opened, kinds: () => batches.flatMap(({ events }) => events.map(({ kind }) => kind)), batches }
  }
  const first = follow('')
  await expect.poll(() => first.batches.length).toBe(1)
  const { task } = await boards.create({ title: 'Report', by: 'anna' })
  await expect.poll(first.kinds).toEqual(['created'])
  first.opened.terminate()
  await boards.block(task.id, { by: 'anna', reason: 'Wait.' })
  const again = follow(`&since=${first.batches.at(-1)?.cursor}`)
  await expect.poll(again.kinds).toEqual(['blocked'])
  const closed = new Promise((resolve) => follow('&board=nowhere').opened.on('close', (code) => resolve(code)))
  expect(await closed).toBe(1008)
})
