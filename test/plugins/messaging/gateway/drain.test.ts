/** A gateway that begins no turns: what runs ends, what comes waits on disk, and nothing is lost. */
import { Gateway } from 'svc/sdk/platform'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from './stage.ts'

const slowly = { timeout: 10_000 }
const BREAK = 'I take a break for maintenance. Your message is stored, and I answer it afterwards.'

function gate() {
  let open = () => {}
  const closed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { closed, open }
}

test('a turn under way ends, what comes meanwhile is answered once the drain is cancelled, in its order', async () => {
  const running = gate()
  const { fake, gateway, said, model } = await stage([{ text: 'first', gate: running.closed }, 'second', 'third'])
  await fake.say('ada', 'one')
  await vi.waitFor(() => expect(model.requests).toHaveLength(1), slowly)
  expect(gateway.status().drainedAt).toBeUndefined()
  gateway.drain()
  expect(gateway.status()).toMatchObject({ state: 'draining', busy: 1, drainedAt: expect.any(Number) })
  await fake.say('ada', 'two')
  await fake.say('bob', 'three')
  await fake.say('bob', 'four')
  running.open()
  await gateway.idle()
  expect(said()).toEqual(expect.arrayContaining(['first', BREAK, BREAK]))
  expect(said()).toHaveLength(3)
  expect(model.requests).toHaveLength(1)
  expect(gateway.status()).toMatchObject({ state: 'draining', busy: 0, inbox: { waiting: 3, running: 0 } })
  gateway.cancelDrain()
  await gateway.idle()
  expect(gateway.status()).toMatchObject({ state: 'running', inbox: { waiting: 0, running: 0 } })
  expect(gateway.status().drainedAt).toBeUndefined()
  const asked = model.requests.slice(1).map(({ messages }) => messages.at(-1)?.text)
  expect(
    asked
      .join('\n')
      .match(/two|three|four/g)
      ?.sort(),
  ).toEqual(['four', 'three', 'two'])
  expect(asked.join('\n').indexOf('three')).toBeLessThan(asked.join('\n').indexOf('four'))
})

test('a gateway that stops begins no turns elsewhere either, until it has started again', async () => {
  const running = gate()
  const { fake, gateway, model } = await stage([{ text: 'first', gate: running.closed }])
  await fake.say('ada', 'one')
  await vi.waitFor(() => expect(model.requests).toHaveLength(1), slowly)
  expect(gateway.isDraining).toBe(false)
  const stopped = gateway.stop({ drainMs: 60_000 })
  expect(gateway.isDraining).toBe(true)
  running.open()
  await stopped
  await gateway.start()
  expect(gateway.isDraining).toBe(false)
})

test('a quiet drain tells no chat, and a chat that stops its request takes back what waits', async () => {
  const { fake, gateway, said, model } = await stage(['never'])
  gateway.drain({ isQuiet: true })
  await fake.say('ada', 'delete it all')
  await fake.say('ada', '/stop')
  await gateway.idle()
  expect(said()).toEqual(['Stopped.'])
  gateway.cancelDrain()
  await gateway.idle()
  expect(model.requests).toEqual([])
  expect(gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
})

test('a command that may wait does, and an answer to a running turn is taken', async () => {
  const asked = { calls: [{ name: 'terminal', input: { command: 'rm -rf src' } }] }
  const plugins = ['tool-terminal', 'approvals']
  const { fake, gateway, said, model, outbox } = await stage([asked, 'Clean.'], { plugins })
  await fake.say('ada', 'clean up')
  await vi.waitFor(() => expect(outbox.deliveries({ state: 'delivered' }).length).toBe(1), slowly)
  gateway.drain()
  await fake.say('ada', 'no', { at: Date.now() + 1000 })
  await vi.waitFor(() => expect(said().at(-1)).toBe('Clean.'), slowly)
  expect(model.requests).toHaveLength(2)
  await fake.say('ada', '/retry')
  await gateway.idle()
  expect(said().at(-1)).toBe(BREAK)
})

test('what a gateway stored while it was drained is answered by the next one', async () => {
  const home = temporaryFolder()
  const before = await stage([], { home })
  before.gateway.drain()
  await before.fake.say('ada', 'are you there?')
  await before.gateway.idle()
  await before.kernel.stop()
  const after = await stage(['yes'], { home })
  await after.gateway.idle()
  expect(after.said()).toEqual(['yes'])
  expect(after.kernel.use(Gateway).status().drainedAt).toBeUndefined()
})
