import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BeforeModelRequest, definePlugin, Sessions } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { stage } from './support.ts'

const plugins = ['agent', 'prompt', 'tool-files', 'tool-memory', 'tool-todo']
const TURNS = 20

/** Turn by turn: what the model does besides answering. */
const remembering = (turn: number) => ({
  name: 'memory',
  input: { action: 'add', target: turn % 2 ? 'user' : 'memory', content: `Lesson ${turn} of the session is kept.` },
})
const planning = (turn: number) => ({ name: 'todo', input: { todos: [{ id: '1', content: `step ${turn}` }] } })

test('over 20 turns with memory writes and the reload of another plugin every request begins with the one before it', async () => {
  const unrelated = { name: 'unrelated', ...definePlugin({ setup: () => undefined }) }
  const script = Array.from({ length: TURNS }, (_, turn) => [
    { calls: [remembering(turn), planning(turn)] },
    `answer ${turn}`,
  ]).flat()
  const { kernel, fake, session, turn } = await stage({ plugins, with: [unrelated], script })
  const id = session()
  for (let at = 0; at < TURNS; at++) {
    if (at === 7) await kernel.plugins.reload('unrelated')
    if (at === 9) await kernel.plugins.reload('tool-todo')
    await turn(id, `question ${at}`)
  }
  expect(fake.requests).toHaveLength(2 * TURNS)
  const [first] = fake.requests
  for (const [at, request] of fake.requests.entries()) {
    expect(JSON.stringify(request.tools)).toBe(JSON.stringify(first?.tools))
    const before = fake.requests[at - 1]?.messages ?? []
    expect(JSON.stringify(request.messages.slice(0, before.length))).toBe(JSON.stringify(before))
  }
  expect(readFileSync(join(kernel.home, 'memories/USER.md'), 'utf8')).toContain('Lesson 19 of the session')
  expect(kernel.use(Sessions).open(id).systemPrompt()).not.toContain('Lesson')
  await turn(session(), 'a new session')
  expect(fake.requests.at(-1)?.messages[0]).toMatchObject({ text: expect.stringContaining('Lesson 19 of the session') })
  expect(kernel.problems()).toEqual([])
  await kernel.stop()
})

test('a session that continues after a restart, days later and with other notes, begins with the same bytes', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-prefix-'))
  const clock = virtualClock()
  const first = await stage({ plugins, home, clock })
  const id = first.session()
  await first.turn(id, 'hello')
  await first.kernel.stop()
  writeFileSync(join(home, 'SOUL.md'), 'You are somebody else.')
  writeFileSync(join(home, 'AGENTS.md'), 'Everything is different.')
  await clock.advance(3 * 86_400_000)
  const second = await stage({ plugins, home, clock })
  await second.turn(id, 'again')
  const before = first.fake.requests[0]?.messages ?? []
  expect(before[0]?.role).toBe('system')
  expect(second.fake.requests[0]?.messages.slice(0, before.length)).toEqual(before)
  expect(await second.prompt(home)).toContain('Everything is different.')
  await second.kernel.stop()
  removeFolder(home)
})

test('a plugin that changes what was said before is found out by the comparison', async () => {
  let n = 0
  const meddler = {
    name: 'meddler',
    ...definePlugin({
      setup(ctx) {
        ctx.on(BeforeModelRequest, (messages) => [{ role: 'user', text: `call ${n++}` }, ...messages])
      },
    }),
  }
  const { kernel, fake, session, turn } = await stage({ plugins, with: [meddler] })
  const id = session()
  for (const text of ['one', 'two']) await turn(id, text)
  const [before, after] = fake.requests.map(({ messages }) => messages)
  expect(after?.slice(0, before?.length)).not.toEqual(before)
  await kernel.stop()
})
