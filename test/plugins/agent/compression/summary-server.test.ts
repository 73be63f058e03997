import { Compaction } from 'svc/sdk/sessions'
import { expect, onTestFinished, test } from 'vitest'
import type { Reply } from '../../../support/model-replies.ts'
import { type ModelServerOptions, startModelServer } from '../../../support/model-server.ts'
import { createConversation, open, RECORD } from './scene.ts'

const OWN = 'The summary of the server at home: many questions were asked and answered.'

async function serve(replies: readonly Reply[], options: ModelServerOptions = {}) {
  const server = await startModelServer({ replies, ...options })
  onTestFinished(() => server.close())
  return server
}

async function compressWith(url: string, config: Record<string, unknown> = {}) {
  const { kernel, begin, orders } = await open({ compression: { summary_base_url: url }, config })
  const session = begin(createConversation(8, 400))
  return { report: await kernel.use(Compaction).compress(session.id), orders: orders() }
}

test('the server of summary_base_url is asked first, without a key, for the model it lists', async () => {
  const server = await serve([OWN], { models: ['at-home', 'another'] })
  const { report, orders } = await compressWith(server.url)
  expect(report).toMatchObject({ summary: OWN, by: 'at-home (summary-server)' })
  expect(orders).toEqual([])
  const [request] = server.requests
  expect(request?.path).toBe('/v1/chat/completions')
  expect(request?.headers['authorization']).toBeUndefined()
  expect(request?.body).toMatchObject({ model: 'at-home', messages: [{ role: 'system' }, { role: 'user' }] })
})

test('the model of auxiliary.compression is asked for there, and an address with its path copied along is understood', async () => {
  const server = await serve([OWN])
  const config = { auxiliary: { compression: { model: 'my-small-one' } } }
  const { report } = await compressWith(`${server.url}/chat/completions/`, config)
  expect(report.by).toBe('my-small-one (summary-server)')
  expect(server.visits).toEqual([])
})

test.for([
  ['fails', { fault: { status: 500, message: 'Out of memory.' } }],
  ['breaks off', { text: OWN, fault: 'cut' }],
  ['answers with a page', { fault: 'html' }],
  ['says nothing', ''],
] as const)('when it %s the model of svc writes the summary', async ([, reply]) => {
  const server = await serve([reply])
  const { report, orders } = await compressWith(server.url)
  expect(report.summary).toBe(RECORD)
  expect(report.by).toMatch(/^fake-1 \(fake\), because compression.summary_base_url failed: \S.*\.$/)
  expect(orders).toHaveLength(1)
})

test.for(['not an address', 'ftp://127.0.0.1/v1', 'http://127.0.0.1:9'])(
  'with summary_base_url "%s" the model of svc writes the summary',
  async (url) => {
    expect((await compressWith(url)).report.by).toMatch(/^fake-1 \(fake\), because /)
  },
)
