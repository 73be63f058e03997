/** What tools ask of the person at the plain conversation, and of one who asked a single question. */
import type { Person } from 'svc/sdk'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { askingTool, callsAskPerson } from '../../../support/asking-tool.ts'

async function open(asks: (person: Person) => Promise<unknown>) {
  const fake = fakeProvider(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : callsAskPerson))
  const config = { model: { provider: 'fake', default: 'fake-1' } }
  const kernel = await testKernel({ plugins: ['chat'], with: [fake.plugin, askingTool(asks)], config })
  onTestFinished(() => kernel.stop())
  const answer = () => fake.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.text
  return { kernel, answer }
}

const all = async (person: Person) => [
  await person.confirm('Push?', { timeoutMs: 60_000 }),
  await person.choose({ title: 'Which branch?', items: ['main', 'next'] }),
  await person.ask('Your name?'),
  await person.edit('The message', { text: 'old\nwords' }),
  await person.edit('Another', { text: 'kept' }),
]
const lines = ['y', '2', 'Anna', 'new', '', 'words', '.', '']
const expected = '[true,"next","Anna","new\\n\\nwords","kept"]'

test('the plain conversation answers each kind of question by lines', async () => {
  const { kernel, answer } = await open(all)
  const answers = ['go', ...lines, '/quit']
  const { out } = await kernel.run(['chat'], { interactive: true, answers })
  expect(answer()).toBe(expected)
  expect(out).toContain('  1  main\n  2  next\n')
  expect(out).toContain('The message\nold\nwords\n')
})

test('a single question on a terminal is answered there, and only the answer of the model is on standard output', async () => {
  const { kernel, answer } = await open(all)
  const { out } = await kernel.run(['chat', '-q', 'go'], { interactive: true, answers: lines })
  expect(answer()).toBe(expected)
  expect(out.endsWith('Done.\n')).toBe(true)
  expect(out).not.toContain('Which branch')
})

test('without a terminal a single question has no person, and is answered at once', async () => {
  const { kernel, answer } = await open(async (person) => [person.isReachable, await person.confirm('Push?')])
  expect(await kernel.run(['chat', '-q', 'go'])).toMatchObject({ code: 0, out: 'Done.\n' })
  expect(answer()).toBe('[false,null]')
})
