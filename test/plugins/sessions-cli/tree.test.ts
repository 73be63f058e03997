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
