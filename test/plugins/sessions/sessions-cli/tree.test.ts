import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostile, sessionsKernel, steering, talk } from './support.ts'

test('tree shows branches and labels, as text and as JSON', async () => {
  await using desk = await sessionsKernel()
  const root = talk(desk.sessions, ['mend the build', 'done', 'and the docs', 'done too'])
  const branch = desk.sessions.branch(root.id, { upTo: 2 })
  desk.sessions.rename(branch.id, 'with streams')
  const said = await desk.svc(['label', root.id, 'before', 'the docs', '--at', '2'])
  expect(said.out).toBe(`Message 2 of ${root.id} is labelled: before the docs\n`)
  const { out } = await desk.svc(['tree', branch.id])
  const lines = out.trimEnd().split('\n')
  expect(lines[0]).toMatch(new RegExp(`^○ mend the build  ${root.id} .*4 messages$`))
  expect(lines[1]).toBe('├─ ◆ before the docs  message 2')
  expect(lines[2]).toMatch(new RegExp(`^└─ ● with streams  ${branch.id} .*2 messages  from message 2$`))
  expect(await desk.json('tree', root.id)).toMatchObject([
    { id: root.id, labels: [{ at: 2, text: 'before the docs' }] },
    { id: branch.id, parent: root.id, branchedAt: 2, labels: [] },
  ])
})

test('tree without an id takes the conversation used last, and says so when there is none', async () => {
  await using desk = await sessionsKernel()
  expect(await desk.svc(['tree'])).toMatchObject({ code: 0, out: '', err: expect.stringContaining('svc chat') })
  talk(desk.sessions, ['elsewhere'])
  expect((await desk.svc(['tree'])).out).toContain('elsewhere')
})

test('branch --at begins at a label or at the number that show prints', async () => {
  await using desk = await sessionsKernel()
  const root = talk(desk.sessions, ['one', 'two', 'three', 'four'])
  expect((await desk.svc(['show', root.id, '--limit', '1'])).out).toMatch(/assistant {2}.* {2}#4\nfour/)
  await desk.svc(['label', root.id, 'half way', '--at', '2'])
  for (const point of ['Half Way', '2'])
    expect(await desk.json('branch', root.id, '--at', point)).toMatchObject({ parent: root.id, messages: 2 })
  const wrong = await desk.svc(['branch', root.id, '--at', '9'])
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('a number from 1 to 4') })
})

test('label without a text removes the label', async () => {
  await using desk = await sessionsKernel()
  const root = talk(desk.sessions, ['one', 'two'])
  await desk.svc(['label', root.id, 'end'])
  expect((await desk.svc(['label', root.id])).out).toBe(`Message 2 of ${root.id} has no label now.\n`)
  expect((await desk.svc(['tree', root.id])).out).not.toContain('◆')
  expect(await desk.svc(['label', root.id, 'x', '--at', '7'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('from 1 to 2'),
  })
})

test('nothing that is shown may steer the terminal', async () => {
  await using desk = await sessionsKernel()
  const root = talk(desk.sessions, [hostile, 'two'])
  await desk.svc(['label', root.id, hostile])
  const { out } = await desk.svc(['tree', root.id])
  expect(out).toContain('◆')
  expect(out).not.toMatch(steering)
})

test('labels are exported and imported, with the tree they stand in', async () => {
  await using from = await sessionsKernel()
  const root = talk(from.sessions, ['mend the build', 'done', 'and the docs', 'done too'])
  await from.clock.advance(1000)
  const branch = from.sessions.branch(root.id, { upTo: 2 })
  await from.svc(['label', root.id, 'before the docs', '--at', '2'])
  await from.svc(['label', root.id, 'the end'])
  const file = join(from.kernel.home, 'both.jsonl')
  expect(await from.svc(['export', root.id, branch.id, '--output', file])).toMatchObject({ code: 0 })
  await using to = await sessionsKernel()
  expect(await to.svc(['import', file])).toMatchObject({ code: 0 })
  expect((await to.svc(['tree', root.id])).out).toBe((await from.svc(['tree', root.id])).out)
  expect((await to.svc(['tree', root.id])).out.match(/◆ before the docs/g)).toHaveLength(1)
})

test('a branch that is exported without its parent has the labels of the messages that they share', async () => {
  await using from = await sessionsKernel()
  const root = talk(from.sessions, ['one', 'two', 'three', 'four'])
  const branch = from.sessions.branch(from.sessions.branch(root.id).id, { upTo: 3 })
  await from.svc(['label', root.id, 'half way', '--at', '2'])
  await from.svc(['label', root.id, 'too late', '--at', '4'])
  const file = join(from.kernel.home, 'branch.jsonl')
  await from.svc(['export', branch.id, '--output', file])
  await using to = await sessionsKernel()
  await to.svc(['import', file])
  expect((await to.svc(['tree', branch.id])).out).toMatch(/\n└─ ◆ half way {2}message 2\n$/)
  expect(await to.json('branch', branch.id, '--at', 'half way')).toMatchObject({ messages: 2 })
})

test('a label on a message that was taken back is not exported, and later ones move with their messages', async () => {
  await using from = await sessionsKernel()
  const session = talk(from.sessions, ['one', 'two', 'three', 'four'])
  await from.svc(['label', session.id, 'about my password'])
  session.rewind(2)
  session.record({ turnId: 't2', events: [], messages: [{ role: 'user', text: 'five' }] })
  await from.svc(['label', session.id, 'the fifth'])
  const { out } = await from.svc(['export', session.id])
  expect(out).not.toContain('password')
  expect(JSON.parse(out)).toMatchObject({ labels: [{ at: 3, text: 'the fifth' }] })
})

test('an export whose label is on no message is refused, and nothing is imported', async () => {
  await using desk = await sessionsKernel()
  const session = talk(desk.sessions, ['one', 'two'])
  const archive = JSON.parse((await desk.svc(['export', session.id])).out)
  await desk.sessions.remove([session.id])
  const file = join(desk.kernel.home, 'edited.jsonl')
  writeFileSync(file, JSON.stringify({ ...archive, labels: [{ at: 3, text: 'x' }] }))
  expect(await desk.svc(['import', file])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/labels: one is on a message that is not there/),
  })
  expect((await desk.svc(['list'])).out).not.toContain(session.id)
})
