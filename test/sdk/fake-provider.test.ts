/** The scripted model is as strict with a conversation as the services that it stands in for. */
import type { Message } from 'svc/sdk'
import { type ModelEvent, Providers } from 'svc/sdk/provider'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

const user: Message = { role: 'user', text: 'go' }
const wants = (...ids: string[]): Message => ({
  role: 'assistant',
  text: '',
  toolCalls: ids.map((id) => ({ id, name: 'look', input: {} })),
})
const told = (callId: string): Message => ({ role: 'tool', callId, text: 'seen' })

async function ask(messages: readonly Message[]): Promise<ModelEvent | undefined> {
  const kernel = await testKernel({ with: [fakeProvider(['fine']).plugin] })
  onTestFinished(() => kernel.stop())
  const request = { model: 'fake-1', messages, tools: [], signal: new AbortController().signal }
  const events: ModelEvent[] = []
  for await (const event of kernel.all(Providers).get('fake')?.stream(request) ?? []) events.push(...[event].flat())
  return events.at(-1)
}

test.each([
  ['a call that nobody answered', [user, wants('a')]],
  ['one of two calls without a result', [user, wants('a', 'b'), told('b'), user]],
  ['a result that comes after something else', [user, wants('a'), user, told('a')]],
  ['a result without a call', [user, told('a')]],
  ['two results of one call', [user, wants('a'), told('a'), told('a')]],
])('the fake provider refuses %s', async (_, messages) => {
  expect(await ask(messages)).toMatchObject({ type: 'failed', failure: { kind: 'invalid', status: 400 } })
})

test('the fake provider takes results in any order, right behind their calls', async () => {
  expect(await ask([user, wants('a', 'b'), told('b'), told('a'), user, wants('a'), told('a')])).toMatchObject({
    type: 'end',
  })
})
