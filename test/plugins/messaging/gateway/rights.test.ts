/** Who may answer for the owner in a group: a question is read by everybody and decided by few. */
import { Approvals, type PluginContext } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import { expect, test, vi } from 'vitest'
import { answerLeft } from '../../../../plugins/messaging/gateway/left-approvals.ts'
import { shortId } from '../../../../plugins/messaging/gateway/prompt-forms.ts'
import { stage } from './stage.ts'

const asked = { calls: [{ name: 'terminal', input: { command: 'rm -rf src' } }] }
const group = { chatId: 'team', chatKind: 'group', isMention: true } as const
const settings = { allow_from: ['ada', 'bob'], group_allow_admin_from: ['ada'], group_sessions_per_user: false }

/** A group in which the agent has asked ada whether it may delete a folder. */
async function inGroup(buttons: number, more: readonly InlinePlugin[] = []) {
  const on = await stage([asked, 'Then not.'], {
    with: more,
    plugins: ['tool-terminal', 'approvals', 'access'],
    platform: { limits: { maxTextLength: 4096, buttons }, settings },
    config: { display: { busy_input_mode: 'queue' } },
  })
  await on.fake.say('ada', 'clean up', group)
  await vi.waitFor(() => expect(on.said().join()).toMatch(/rm -rf src/), { timeout: 10_000 })
  await vi.waitFor(() => expect(on.outbox.deliveries().every(({ state }) => state === 'delivered')).toBe(true))
  const answer = async (userId: string, choice: string) => {
    const button = on.fake.sent.flatMap((message) => message.buttons ?? []).find(({ label }) => label === choice)
    if (buttons === 0) return on.fake.say(userId, choice, group)
    expect(button).toBeDefined()
    return on.fake.say(userId, '', { ...group, press: button?.value ?? '' })
  }
  return { ...on, answer }
}

test.each([
  ['a press of "Allow once"', 5, 'Allow once', 'Deny'],
  ['a yes', 0, 'yes', 'no'],
])('%s of someone in a group who may not approve is refused, and the question goes on waiting', async (...row) => {
  const [, buttons, allow, deny] = row
  const { answer, said, model, gateway } = await inGroup(buttons)
  await answer('bob', allow)
  await vi.waitFor(() => expect(said().at(-1)).toMatch(/You are not allowed to answer this/))
  expect(model.requests).toHaveLength(1)
  await answer('ada', deny)
  await gateway.idle()
  const results = model.requests.flatMap(({ messages }) => messages).filter(({ role }) => role === 'tool')
  expect(results[0]?.text).toMatch(/said no/)
})

test.each([
  ['a press', (id: string) => ({ text: '', press: `${shortId(id)}:once` })],
  ['a yes', () => ({ text: 'yes' })],
])('%s that a crash left in the inbox answers at the next start, if its sender may approve', async (_, write) => {
  const contexts: PluginContext<never>[] = []
  const watch: InlinePlugin = { name: 'watch', with: ['gateway'], setup: (ctx) => void contexts.push(ctx as never) }
  const { kernel, gateway, model } = await inGroup(0, [watch])
  const approvals = kernel.use(Approvals)
  const [{ id = '', sessionId = '' } = {}] = approvals.pending()
  const [context] = contexts
  if (!context) throw new Error('the plugin was not loaded')
  const take = (userId: string) => {
    const message = { ...group, platform: 'fake', messageId: 'left', userId, ...write(id) }
    return answerLeft(context, { session: sessionId, message, wasShown: (shown) => shown === shortId(id) })
  }
  expect([take('bob'), approvals.pending().length]).toEqual([false, 1])
  expect([take('ada'), approvals.pending().length]).toEqual([true, 0])
  await gateway.idle()
  expect(model.requests).toHaveLength(2)
})
