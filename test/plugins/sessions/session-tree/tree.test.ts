/** Branches as a tree, labels, and the ways to go to them. */
import { type Message, Sessions } from 'svc/sdk'
import { SessionTrees } from 'svc/sdk/sessions'
import { fakeProvider, fakeTalk, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function start() {
  const fake = fakeProvider((_request, call) => `answer ${call}`)
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['conversation', 'session-commands', 'session-tree'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    clock,
  })
  onTestFinished(() => kernel.stop())
  return { kernel, clock, sessions: kernel.use(Sessions), trees: kernel.use(SessionTrees) }
}

const texts = (messages: readonly Message[]) => messages.map(({ text }) => text)

test('branches and labels stand in the order of the conversation, under the session they belong to', async () => {
  const { sessions, trees, kernel, clock } = await start()
  const talk = fakeTalk(kernel)
  await talk.type('one', 'two', 'three')
  const root = talk.conversation.sessionId
  await clock.advance(1000)
  const late = sessions.branch(root)
  await clock.advance(1000)
  const early = sessions.branch(root, { upTo: 2 })
  const inner = sessions.branch(early.id)
  trees.label(root, { text: 'middle', at: 4 })
  trees.label(inner.id, { text: 'deep' })
  const rows = trees.rows(inner.id).map(({ guide, session, label }) => [guide, session.id, label?.text ?? ''])
  expect(rows).toEqual([
    ['', root, ''],
    ['├─ ', early.id, ''],
    ['│  └─ ', inner.id, ''],
    ['│     └─ ', inner.id, 'deep'],
    ['├─ ', root, 'middle'],
    ['└─ ', late.id, ''],
  ])
  expect(trees.rows(root)).toEqual(trees.rows(late.id))
  expect([late, early, inner].map(({ id }) => sessions.summary(id).branchedAt)).toEqual([6, 2, 2])
})

test('/label and /tree: a point is named, shown, and returned to in a branch', async () => {
  const { kernel, sessions } = await start()
  const talk = fakeTalk(kernel)
  expect(await talk.type('/label nothing yet')).toBe('Send a message first.')
  await talk.type('one')
  const root = talk.conversation.sessionId
  expect(await talk.type('/label before the refactor')).toBe('Labelled: before the refactor. /tree goes back to it.')
  await talk.type('two')
  expect(await talk.type('/tree')).toMatch(/● one {2}4 messages .*\n└─ ◆ before the refactor {2}#2/)
  expect(await talk.type('/tree Before The Refactor')).toBe(`You are in a branch now. Back: /resume ${root}`)
  const branch = talk.conversation.sessionId
  expect(branch).not.toBe(root)
  expect(texts(sessions.open(branch).messages())).toEqual(['one', 'answer 0'])
  expect(sessions.summary(branch)).toMatchObject({ parent: root, branchedAt: 2, title: 'before the refactor' })
  await talk.type(`/tree ${root}`)
  expect(talk.conversation.sessionId).toBe(root)
  expect(await talk.type(`/tree ${root}`)).toBe('You are in it.')
  expect(await talk.type('/tree nowhere')).toBe('No branch and no label is called "nowhere".')
})

test('/label without a text removes the label of this point', async () => {
  const { kernel, trees } = await start()
  const talk = fakeTalk(kernel)
  await talk.type('one', '/label here')
  const { sessionId } = talk.conversation
  expect(trees.rows(sessionId)).toHaveLength(2)
  expect(await talk.type('/label')).toBe('This point has no label now.')
  expect(trees.rows(sessionId)).toHaveLength(1)
})

test('a labelled point is there again after it was taken back or compressed', async () => {
  const { kernel, sessions, trees } = await start()
  const talk = fakeTalk(kernel, { person: { confirm: true } })
  await talk.type('one', 'two', '/label kept', 'three')
  const { sessionId } = talk.conversation
  const session = sessions.open(sessionId)
  session.compress({ from: 0, to: 6, summary: [{ role: 'user', text: 'summary' }] })
  session.rewind(0)
  expect(session.messages()).toEqual([])
  const [, row] = trees.rows(sessionId)
  const branch = sessions.branch(sessionId, { at: row?.label?.at ?? 0 })
  expect(texts(branch.messages())).toEqual(['one', 'answer 0', 'two', 'answer 1'])
})

test('a compression before the point stays in force in its branch', async () => {
  const { kernel, sessions } = await start()
  const talk = fakeTalk(kernel)
  await talk.type('one', 'two')
  const session = sessions.open(talk.conversation.sessionId)
  session.compress({ from: 0, to: 2, summary: [{ role: 'user', text: 'summary of one' }] })
  await talk.type('three')
  expect(texts(sessions.branch(session.id, { at: 4 }).messages())).toEqual(['summary of one', 'two', 'answer 1'])
})

test('labels are one short line, and only on messages that are there', async () => {
  const { kernel, trees } = await start()
  const talk = fakeTalk(kernel)
  await talk.type('one')
  const { sessionId } = talk.conversation
  expect(() => trees.label(sessionId, { text: 'x', at: 3 })).toThrow(/no message 3.*from 1 to 2/)
  expect(() => trees.label(sessionId, { text: 'x', at: 0 })).toThrow(
    expect.objectContaining({ code: 'SESSION_POINT_UNKNOWN' }),
  )
  trees.label(sessionId, { text: `a\u001b[2J\nb${'c'.repeat(200)}` })
  const text = trees.rows(sessionId)[1]?.label?.text ?? ''
  expect(text).toMatch(/^a \[2J bc+$/)
  expect([...text]).toHaveLength(80)
})

test('a removed parent ends the tree upwards; an archive that makes a circle harms no one', async () => {
  const { sessions, trees } = await start()
  const root = sessions.create({ surface: 'cli', cwd: '/' })
  const branch = sessions.branch(root.id)
  const leaf = sessions.branch(branch.id)
  await sessions.remove([root.id])
  expect(trees.rows(leaf.id).map(({ session }) => session.id)).toEqual([branch.id, leaf.id])
  const archive = sessions.export(branch.id)
  await sessions.remove([branch.id])
  sessions.import({ ...archive, session: { ...archive.session, parent: leaf.id } })
  expect(trees.rows(leaf.id).map(({ session }) => session.id)).toEqual([leaf.id])
  expect(() => trees.rows('nowhere')).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
})

test('where a branch begins survives export and import', async () => {
  const { kernel, sessions } = await start()
  const talk = fakeTalk(kernel)
  await talk.type('one')
  const branch = sessions.branch(talk.conversation.sessionId)
  const archive = sessions.export(branch.id)
  await sessions.remove([branch.id])
  sessions.import(archive)
  expect(sessions.summary(branch.id).branchedAt).toBe(2)
})

test('a label survives /branch: it is found from there, and also when the conversation it was set in is removed', async () => {
  const { kernel, sessions, trees } = await start()
  const talk = fakeTalk(kernel)
  await talk.type('one', '/label the beginning', 'two', '/label later')
  const root = talk.conversation.sessionId
  await talk.type('/branch', 'three')
  const branch = talk.conversation.sessionId
  expect(trees.labels(branch)).toEqual([
    { at: 2, text: 'the beginning' },
    { at: 4, text: 'later' },
  ])
  expect((await talk.type('/tree'))?.match(/◆ the beginning/g)).toHaveLength(1)
  await sessions.remove([root])
  expect(await talk.type('/tree')).toMatch(/├─ ◆ the beginning {2}#2\n└─ ◆ later {2}#4/)
  await talk.type('/tree the beginning')
  expect(texts(sessions.open(talk.conversation.sessionId).messages())).toEqual(['one', 'answer 0'])
})

test('a branch that begins with a summary has no label of messages that it does not have', async () => {
  const { kernel, sessions, trees } = await start()
  const talk = fakeTalk(kernel)
  await talk.type('one', '/label the beginning', 'two')
  const session = sessions.open(talk.conversation.sessionId)
  session.compress({ from: 0, to: 3, summary: [{ role: 'user', text: 'summary' }] })
  const branch = sessions.branch(session.id)
  expect(trees.labels(branch.id)).toEqual([])
  expect(trees.rows(branch.id).map(({ label }) => label?.text)).toEqual([undefined, 'the beginning', undefined])
})
