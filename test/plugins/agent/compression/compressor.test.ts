import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, Sessions, type TurnEvent } from 'svc/sdk'
import { Compaction, type CompactionRequest, type Summarizer, Summarizers } from 'svc/sdk/sessions'
import { expect, onTestFinished, test } from 'vitest'
import { LEASE_MS } from '../../../../plugins/agent/compression/store.ts'
import { removeFolder } from '../../../support/remove-folder.ts'
import { createConversation, ofType, open, write } from './scene.ts'

const SUMMARY = 'What was said: many things were asked, and all of them were answered.'

/** An engine that waits until the test lets it continue. */
function gatedEngine(text = SUMMARY) {
  const requests: CompactionRequest[] = []
  let begun = () => {}
  let release = () => {}
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const plugin = {
    name: 'gated-engine',
    contributes: { 'context-engines': ['gated'] },
    setup(ctx: { add(point: typeof Summarizers, item: Summarizer): unknown }) {
      ctx.add(Summarizers, {
        name: 'gated',
        async summarise(request: CompactionRequest) {
          requests.push(request)
          begun()
          await Promise.race([
            gate,
            new Promise((_, no) => request.signal.addEventListener('abort', () => no(request.signal.reason))),
          ])
          return { text, by: 'the gated engine' }
        },
      })
    },
  }
  return { plugin, requests, started, release }
}
const gated = { compression: { engine: 'gated' } }

test('an engine of another plugin is told what stays, and writes what stands for the rest', async () => {
  const engine = gatedEngine()
  engine.release()
  const { kernel, begin, orders } = await open({ ...gated, with: [engine.plugin] })
  const session = begin(createConversation(8, 400))
  const report = await kernel.use(Compaction).compress(session.id, { keep: 2, focus: 'the end' })
  expect(engine.requests[0]).toMatchObject({ sessionId: session.id, head: 0, tail: 4, focus: 'the end' })
  expect(engine.requests[0]?.messages).toHaveLength(16)
  expect(report).toMatchObject({ messagesBefore: 16, by: 'the gated engine', summary: SUMMARY })
  expect(report.messagesAfter).toBe(session.messages().length)
  expect(orders()).toEqual([])
})

test('an engine that does not exist is named together with those that do, and nothing changes', async () => {
  const { kernel, begin } = await open({ compression: { engine: 'magic' } })
  const session = begin(createConversation(8, 400))
  await expect(kernel.use(Compaction).compress(session.id)).rejects.toMatchObject({
    code: 'COMPRESSION_FAILED',
    message: expect.stringMatching(/no engine "magic".*one of: summary/),
  })
  expect(session.messages()).toEqual(createConversation(8, 400))
})

test('of two at once one is refused, in this process and in another; when the other has died its lock ends', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-test-'))
  onTestFinished(() => removeFolder(home))
  const engine = gatedEngine()
  const one = await open({ ...gated, home, with: [engine.plugin] })
  const session = one.begin(createConversation(8, 400))
  const first = one.kernel.use(Compaction).compress(session.id)
  await engine.started
  await expect(one.kernel.use(Compaction).compress(session.id)).rejects.toMatchObject({ code: 'COMPRESSION_BUSY' })
  const two = await open({ home })
  const other = two.kernel.use(Compaction)
  await expect(other.compress(session.id)).rejects.toMatchObject({ code: 'COMPRESSION_BUSY' })
  // The first says from time to time that it lives; only what no one renews ends.
  await two.clock.advance(LEASE_MS / 2)
  await expect(other.compress(session.id)).rejects.toMatchObject({ code: 'COMPRESSION_BUSY' })
  await two.clock.advance(LEASE_MS)
  expect((await other.compress(session.id)).messagesAfter).toBeLessThan(16)
  engine.release()
  await expect(first).rejects.toMatchObject({ message: expect.stringContaining('changed while it was summed up') })
})

test('what is said while it is summed up stays; messages that are taken back meanwhile stop it', async () => {
  const engine = gatedEngine()
  const { kernel, begin } = await open({ ...gated, with: [engine.plugin] })
  const [talked, undone] = [begin(createConversation(8, 400)), begin(createConversation(8, 400))]
  const one = kernel.use(Compaction).compress(talked.id)
  const two = kernel.use(Compaction).compress(undone.id)
  two.catch(() => undefined)
  await engine.started
  write(talked, [{ role: 'user', text: 'Meanwhile.' }])
  undone.rewind(14)
  engine.release()
  await one
  expect(talked.messages().at(-1)?.text).toBe('Meanwhile.')
  await expect(two).rejects.toMatchObject({ code: 'COMPRESSION_FAILED' })
  expect(undone.messages()).toEqual(createConversation(8, 400).slice(0, 14))
})

test('stopping the turn stops the summary: nothing is changed, nothing is complained of', async () => {
  const engine = gatedEngine()
  const { kernel, begin } = await open({ ...gated, with: [engine.plugin] })
  const session = begin(createConversation(12, 1500))
  const events: TurnEvent[] = []
  const over = (async () => {
    const request = { sessionId: session.id, text: 'Go on.', surface: 'test' }
    for await (const event of kernel.use(Agent).run(request)) events.push(event)
  })()
  await engine.started
  kernel.use(Agent).interrupt(session.id)
  await over
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'interrupted' })
  expect([...ofType(events, 'notice'), ...ofType(events, 'compressed')]).toEqual([])
  expect(session.messages().slice(0, 24)).toEqual(createConversation(12, 1500))
})

test('a session that does not exist is its own error', async () => {
  const { kernel } = await open()
  const error = { code: 'SESSION_NOT_FOUND' }
  await expect(kernel.use(Compaction).compress('ses_none')).rejects.toMatchObject(error)
  await expect(kernel.use(Compaction).compress('ses_none', { preview: true })).rejects.toMatchObject(error)
  expect(kernel.use(Sessions).list()).toEqual([])
})
