import { join } from 'node:path'
import Database from 'better-sqlite3'
import { defineTool, Sessions, Tools } from 'svc/sdk'
import { ProcessNotified } from 'svc/sdk/hooks'
import { deliveryRefused, Platforms } from 'svc/sdk/platform'
import { type TestKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { stage } from './stage.ts'

/** The account of the fake platform, from its next connection on. */
function useAccount(kernel: TestKernel, account: string): void {
  const platform = kernel.all(Platforms).get('fake')
  if (!platform) throw new Error('the platform is missing')
  platform.account = () => account
}

test('two gateways with one token do not take each other’s messages: the second waits and says why', async () => {
  const token = crypto.randomUUID()
  const [first, second] = [await stage(['one']), await stage(['two'])]
  useAccount(first.kernel, token)
  useAccount(second.kernel, token)
  await first.gateway.resume('fake')
  await second.gateway.resume('fake')
  expect(first.status()).toMatchObject({ state: 'connected' })
  expect(second.status()).toMatchObject({ state: 'retrying', code: 'gateway_account_taken' })
  await first.gateway.stop()
  await second.gateway.resume('fake')
  expect(second.status()).toMatchObject({ state: 'connected' })
})

test('a model that hangs is waited for, the chat is told, and in the end the turn is stopped', async () => {
  const clock = virtualClock()
  const { fake, gateway, model, said } = await stage(
    ['x'].map((text) => ({ text, gate: new Promise<void>(() => {}) })),
    {
      clock,
      config: { gateway: { working_notice_seconds: 180, inactivity_seconds: 600 } },
    },
  )
  await fake.say('ada', 'think')
  // What comes later than the time passes counts as something that happens.
  await vi.waitFor(() => expect(model.requests).toHaveLength(1))
  expect(gateway.status().busy).toBe(1)
  await clock.advance(181_000)
  await vi.waitFor(() => expect(said().join()).toContain('Still working: 3m'))
  await clock.advance(600_000)
  await gateway.idle()
  expect(said().join('\n')).toContain('Nothing has happened for 10 minutes, so I stopped.')
  expect(gateway.status()).toMatchObject({ busy: 0, inbox: { waiting: 0, running: 0 } })
})

test('a message that cannot be kept is not acknowledged, and is taken when it comes again', {
  timeout: 60_000,
}, async () => {
  const { fake, gateway, kernel, said } = await stage(['kept'])
  await fake.say('ada', 'first')
  await gateway.idle()
  const other = new Database(join(kernel.home, 'data/gateway/gateway.db'))
  other.exec('BEGIN EXCLUSIVE')
  await expect(fake.say('ada', 'hi')).rejects.toThrow()
  other.exec('ROLLBACK')
  other.close()
  await fake.repeat()
  await gateway.idle()
  expect(said()).toEqual(['kept', 'kept'])
})

test.for([
  ['only whitespace', ' \n\t ', 0],
  ['a million characters', 'x'.repeat(1_200_000), 1],
  ['ten thousand emoji', '👩‍👩‍👧'.repeat(10_000), 1],
  ['control characters', '\u0000\u001b[31mred\u0007', 1],
  ['half a character', '\ud83d hello', 1],
] as const)('a message of %s does no harm', { timeout: 60_000 }, async ([, text, answers]) => {
  const { fake, gateway, said } = await stage(['answered'])
  await fake.say('ada', text)
  await gateway.idle()
  expect(said()).toHaveLength(answers)
  await fake.say('ada', 'still there?')
  await gateway.idle()
  expect(said().at(-1)).toBe('answered')
})

test('a turn in which things happen is not stopped, however long it takes', async () => {
  const clock = virtualClock()
  let sleeping = 0
  const wait = defineTool({
    name: 'wait',
    description: 'Wait',
    input: z.object({}),
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    run: async () => {
      sleeping++
      await clock.sleep(300_000)
      sleeping--
      return 'waited'
    },
  })
  const waiting = {
    name: 'waiting',
    contributes: { tools: ['wait'] },
    setup: (ctx: { add(point: typeof Tools, tool: typeof wait): unknown }) => void ctx.add(Tools, wait),
  }
  const { fake, gateway, said } = await stage(
    (_, call) => (call < 4 ? { calls: [{ name: 'wait', input: { step: call } }] } : 'Done at last.'),
    { clock, config: { gateway: { inactivity_seconds: 600, working_notice_seconds: 0 } }, with: [waiting as never] },
  )
  await fake.say('ada', 'work')
  let isIdle = false
  const idle = gateway.idle().then(() => {
    isIdle = true
  })
  // Virtual time passes only while the tool sleeps: a busy machine needs real time for the rest.
  while (!isIdle) {
    await clock.advance(sleeping > 0 ? 100_000 : 0)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await idle
  expect(said()).toEqual(['Done at last.'])
})

test('a conversation of events that is opened again has no more tools than before', async () => {
  const clock = virtualClock()
  const { fake, gateway, kernel, model } = await stage(['noted'], { clock, plugins: ['tool-files'] })
  const platform = kernel.all(Platforms).get('fake') as { isEvents?: boolean }
  platform.isEvents = true
  await fake.say('sensor', 'the door opened')
  await gateway.idle()
  const [{ id: sessionId = '' } = {}] = kernel.use(Sessions).list()
  await clock.advance(15 * 60_000)
  expect(gateway.status().conversations).toBe(0)
  await kernel.call(ProcessNotified, { processId: 'p', sessionId, reason: 'completed', text: 'it ended' })
  await gateway.idle()
  expect(model.requests).toHaveLength(2)
  const offered = model.requests.map(({ tools }) => tools.map(({ name }) => name).includes('write_file'))
  expect(offered).toEqual([false, false])
})

test('a status has the code of its error in lower case, whether connecting or a lost connection named it', async () => {
  const { fake, gateway, kernel, status } = await stage([])
  const platform = kernel.all(Platforms).get('fake') as object
  Object.assign(platform, { connect: () => Promise.reject(deliveryRefused('NTFY_UNAUTHORIZED', 'the token is wrong')) })
  fake.lose('the server closed')
  await gateway.resume('fake')
  expect(status()).toMatchObject({ state: 'fatal', code: 'ntfy_unauthorized' })
})
