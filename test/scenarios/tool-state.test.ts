/** The state of tools belongs to the conversation: a branch begins with it, and taking messages back takes it back. */
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Message, Sessions } from 'svc/sdk'
import { BackgroundProcesses } from 'svc/sdk/shell'
import { fakeProvider, fakeTalk, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { removeFolder } from '../support/remove-folder.ts'

/** The model calls the tool that the user names: `todo {...}`. */
function obedient(messages: readonly Message[]): ScriptedReply {
  const last = messages.at(-1)
  const [, name, input] = last?.role === 'user' ? (/^(todo|terminal|process) (\{.*\})$/s.exec(last.text) ?? []) : []
  if (name !== undefined && input !== undefined) return { calls: [{ name, input: JSON.parse(input) }] }
  return last?.role === 'tool' ? `result: ${last.text}` : 'nothing to do'
}

async function start(home?: string) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'svc-state-')))
  for (const name of ['a', 'b']) mkdirSync(join(cwd, name))
  const fake = fakeProvider(({ messages }) => obedient(messages))
  const kernel = await testKernel({
    plugins: ['conversation', 'session-commands', 'tool-todo', 'tool-terminal', 'tool-process'],
    with: [fake.plugin],
    ...(home !== undefined && { home }),
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(async () => {
    await kernel.stop()
    removeFolder(cwd)
  })
  const talk = fakeTalk(kernel, { cwd, person: { confirm: true, approve: 'once' } })
  const answer = async (line: string) => {
    await talk.type(line)
    return talk.answers().at(-1) ?? ''
  }
  return { kernel, talk, cwd, answer }
}

const plan = (...contents: string[]) =>
  `todo ${JSON.stringify({ todos: contents.map((content, at) => ({ id: String(at), content })) })}`
const shell = (command: string) => `terminal ${JSON.stringify({ command })}`

test('the plan: /undo restores the one from before, /redo the later one, and a branch continues with it', async () => {
  const { talk, answer } = await start()
  await answer(plan('first'))
  await answer(plan('first', 'second'))
  await talk.type('/undo')
  expect(await answer('todo {}')).toContain('1 of 1 open')
  await talk.type('/undo', '/undo')
  expect(await answer('todo {}')).toContain('The plan is empty.')
  await answer(plan('trunk'))
  const trunk = talk.conversation.sessionId
  await talk.type('/branch')
  expect(await answer('todo {}')).toContain('trunk')
  await answer(plan('twig'))
  await talk.type(`/resume ${trunk}`)
  expect(await answer('todo {}')).toContain('trunk')
})

test('the folder of the shell: /undo goes back to it, a branch begins in it, each conversation stays in its own', async () => {
  const { talk, answer, cwd } = await start()
  expect(await answer(shell('pwd'))).toContain(cwd)
  await answer(shell('cd a'))
  expect(await answer(shell('pwd'))).toContain(join(cwd, 'a'))
  const trunk = talk.conversation.sessionId
  await talk.type('/branch')
  expect(await answer(shell('pwd'))).toContain(join(cwd, 'a'))
  await answer(shell('cd ../b'))
  expect(await answer(shell('pwd'))).toContain(join(cwd, 'b'))
  // The question, and the change before it.
  await talk.type('/undo 2')
  expect(await answer(shell('pwd'))).toContain(join(cwd, 'a'))
  await talk.type(`/resume ${trunk}`)
  await talk.type('/undo 9')
  expect((await answer(shell('pwd'))).split('\n')).toContain(cwd)
})

test('the folder of the shell is the same after a restart', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-state-home-'))
  onTestFinished(() => removeFolder(home))
  const one = await start(home)
  await one.answer(shell('cd a'))
  const { sessionId } = one.talk.conversation
  await one.kernel.stop()
  const two = await start(home)
  await two.talk.conversation.switchTo(sessionId)
  expect(await two.answer(shell('pwd'))).toContain(join(one.cwd, 'a'))
})

test('background processes: a branch sees those of before, hears of their end, and /undo names what still runs', async () => {
  const { kernel, talk, answer } = await start()
  const trunk = talk.conversation.sessionId
  await answer(
    `terminal ${JSON.stringify({ command: 'while [ ! -e go ]; do sleep 0.05; done', background: true, notify_on_complete: true })}`,
  )
  const [started] = await kernel.use(BackgroundProcesses).list(trunk)
  if (!started) throw new Error('nothing was started')
  await talk.type('/branch')
  const twig = talk.conversation.sessionId
  expect(await answer('process {"action":"list"}')).toContain(started.id)
  expect(await talk.type('/undo 9')).toContain(`(${started.id})`)
  await talk.type('/redo')
  await answer(shell('touch go'))
  await vi.waitFor(
    () => {
      const heard = kernel.use(Sessions).open(twig).messages()
      expect(heard.some(({ text }) => text.includes(`${started.id}`) && text.includes('has ended'))).toBe(true)
    },
    { timeout: 20_000 },
  )
})
