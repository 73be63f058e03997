import { Gateway } from 'svc/sdk/platform'
import { fakePlatform, fakeProvider, testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { webhookSender } from './sender.ts'
import { SECRET } from './yard.ts'

type Script = Parameters<typeof fakeProvider>[0]

/** A whole svc: gateway, webhooks, a chat in memory and a scripted model. */
async function program(script: Script, route: object) {
  const [chat, model, sender] = [fakePlatform(), fakeProvider(script), await webhookSender()]
  const routes = { hook: { secret: SECRET, ...route } }
  const kernel = await testKernel({
    plugins: ['gateway', 'webhook', 'markup'],
    with: [chat.plugin, model.plugin],
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      platforms: { webhook: { port: 0, github_api_url: sender.apiUrl, routes } },
    },
    env: { GITHUB_TOKEN: sender.token },
  })
  onTestFinished(async () => {
    await kernel.stop()
    await sender.close()
  })
  const gateway = kernel.use(Gateway)
  await gateway.start()
  const door = () =>
    kernel
      .use(Http)
      .apps()
      .find(({ name }) => name === 'webhook')?.url
  await expect.poll(door, { timeout: 10_000 }).toBeDefined()
  const post = (payload: unknown, id: string) => {
    const event = sender.sign({ style: 'generic', secret: SECRET, payload, id, at: Date.now() })
    return sender.post(`${door()}/webhooks/hook`, event)
  }
  return { chat, model, sender, gateway, post }
}

test('an event wakes the agent without anyone being let in, and the answer is a comment', async () => {
  const { gateway, model, sender, post } = await program(['Looks **good**, see `a_b`.'], {
    prompt: 'Review #{number}: {title}',
    deliver: 'github_comment',
    deliver_extra: { repo: '{repo}', pr_number: '{number}' },
  })
  expect((await post({ repo: 'ada/engine', number: 7, title: 'Fix' }, 'one')).status).toBe(202)
  await gateway.idle()
  await expect.poll(() => sender.comments.length, { timeout: 10_000 }).toBe(1)
  expect(sender.comments[0]).toMatchObject({ repo: 'ada/engine', number: 7, visible: 'Looks **good**, see `a_b`.' })
  const asked = model.requests[0]?.messages.filter(({ role }) => role === 'user').map(({ text }) => text)
  expect(asked?.join()).toContain('Review #7: <data source="title">Fix</data>')
  const system = model.requests[0]?.messages.filter(({ role }) => role === 'system').map(({ text }) => text)
  expect(system?.join()).not.toContain('Fix')
  expect((await post({ repo: 'ada/engine', number: 7, title: 'Fix' }, 'one')).body).toMatchObject({
    status: 'duplicate',
  })
})

test('the answer to an event goes to a chat', async () => {
  const { gateway, chat, post } = await program(['The build is green.'], { deliver: 'fake:ada' })
  expect((await post({ type: 'build' }, 'one')).status).toBe(202)
  await gateway.idle()
  await expect
    .poll(() => chat.sent.map(({ chatId, text }) => [chatId, text]), { timeout: 10_000 })
    .toEqual([['ada', 'The build is green.']])
})

test('a comment whose answer was lost on the way is written once all the same', async () => {
  const { gateway, sender, post } = await program(['Thanks.'], {
    deliver: 'github_comment',
    deliver_extra: { repo: 'ada/engine', pr_number: 7 },
  })
  sender.failComments('unanswered')
  await post({ a: 1 }, 'one')
  await gateway.idle()
  await expect.poll(() => sender.comments.length, { timeout: 10_000 }).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(sender.comments).toHaveLength(1)
})
