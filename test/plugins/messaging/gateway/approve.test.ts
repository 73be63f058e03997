/** `/approve` and `/deny` in a chat: the oldest request or all of them, and a reason that reaches the model. */
import { Approvals, defineTool, Tools } from 'svc/sdk'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { stage } from './stage.ts'

const shell = {
  name: 'shell-tool',
  contributes: { tools: ['shell'] },
  setup(ctx: { add: (point: typeof Tools, item: ReturnType<typeof defineTool>) => unknown }) {
    const tool = defineTool<{ command: string }>({
      name: 'shell',
      description: 'Runs.',
      input: z.object({ command: z.string() }),
      effect: 'once',
      parallel: true,
      toolset: 'terminal',
      reach: 'machine',
      acts: ({ command }) => ({ command }),
      run: async ({ command }) => `ran ${command}`,
    })
    ctx.add(Tools, tool)
  },
}

const commands = ['rm -rf one', 'rm -rf two', 'rm -rf three']

async function threeRequests() {
  const calls = commands.map((command) => ({ name: 'shell', input: { command } }))
  const place = await stage([{ calls }, 'Done.'], {
    plugins: ['approvals'],
    with: [shell as never],
    config: { display: { busy_input_mode: 'queue' } },
  })
  const requests = () => place.kernel.use(Approvals).pending()
  const pending = () => requests().length
  await place.fake.say('ada', 'clean up')
  // A word counts as an answer only if its question was delivered before it.
  const isShown = () => place.outbox.deliveries().every(({ state }) => state === 'delivered')
  await vi.waitFor(() =>
    expect([pending(), place.said().filter((text) => text.includes('rm -rf')).length]).toEqual([3, 3]),
  )
  await vi.waitFor(() => expect(isShown()).toBe(true))
  // The calls run side by side, so any of them may have asked first.
  const oldest = commands.indexOf(requests()[0]?.action ?? '')
  /** That of the oldest request, and those of the others. */
  const results = () => {
    const heard = place.model.requests.at(-1)?.messages ?? []
    const all = heard.flatMap((message) => (message.role === 'tool' ? [message.text] : []))
    return { first: all[oldest], others: all.filter((_, at) => at !== oldest) }
  }
  const others = commands.filter((_, at) => at !== oldest)
  return { ...place, pending, results, others, first: commands[oldest] }
}

test('/deny refuses the oldest request and passes its reason to the model; /approve all allows the others', async () => {
  const { fake, gateway, pending, results, said, others } = await threeRequests()
  await fake.say('ada', '/deny that folder\nis still needed')
  await vi.waitFor(() => expect(pending()).toBe(2))
  await fake.say('ada', '/approve all')
  await gateway.idle()
  expect(results().first).toContain('The user\'s reason: "that folder is still needed".')
  expect(results().others).toEqual(others.map((command) => `ran ${command}`))
  for (const command of others) expect(said().at(-2)).toContain(command)
})

test('/deny all refuses every open request, with a reason of at most 280 characters', async () => {
  const { fake, gateway, results } = await threeRequests()
  await fake.say('ada', `/deny all ${'x'.repeat(400)}`)
  await gateway.idle()
  const { first, others } = results()
  expect(others).toHaveLength(2)
  for (const text of [first, ...others]) expect(text).toMatch(/reason: "x{280}"\./)
})

test('/approve allows only the oldest request', async () => {
  const { fake, gateway, pending, results, first } = await threeRequests()
  await fake.say('ada', '/approve')
  await vi.waitFor(() => expect(pending()).toBe(2))
  await fake.say('ada', '/deny all')
  await gateway.idle()
  expect(results().first).toBe(`ran ${first}`)
  for (const text of results().others) expect(text).toMatch(/said no/)
})
