/** How far an answer holds: not in another folder, not with other variables, not for a second danger, and only once. */
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { InlinePlugin } from 'svc'
import { type ApprovalChoice, Approvals, BeforeToolCall, Sessions } from 'svc/sdk'
import { fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { answering, start, turn } from './stage.ts'

const FORCE = 'git push --force'

test('what is always allowed in one folder is asked about in every other one', async () => {
  const { kernel, ran } = await start([FORCE, FORCE, 'done', FORCE])
  const { asked } = answering(kernel, ['always', 'deny'])
  await turn(kernel)
  expect(asked).toMatchObject([{ covers: expect.stringContaining('exactly this command in /srv/project') }])
  const elsewhere = kernel.use(Sessions).create({ surface: 'test', cwd: '/srv/other' }).id
  await turn(kernel, elsewhere)
  expect(asked).toHaveLength(2)
  expect(ran).toEqual([FORCE, FORCE])
  await kernel.stop()
})

test('what was allowed for a session is asked about again once the session was removed, also when it comes back', async () => {
  const { kernel, ran } = await start([FORCE, FORCE, 'done', FORCE, FORCE])
  const { asked } = answering(kernel, ['session', 'deny', 'deny'])
  const sessions = kernel.use(Sessions)
  const { id } = sessions.create({ surface: 'test', cwd: '/srv/project' })
  await turn(kernel, id)
  expect([asked.length, ran]).toEqual([1, [FORCE, FORCE]])
  const archive = sessions.export(id)
  await sessions.remove([id])
  sessions.import(archive)
  await turn(kernel, id)
  expect([asked.length, ran]).toEqual([3, [FORCE, FORCE]])
  await kernel.stop()
})

test('what is always allowed with one value of a variable is asked about with another value', async () => {
  const command = `${FORCE} $TO`
  const { kernel, ran } = await start(['TO=fork', command, command, 'TO=origin', command])
  const { asked } = answering(kernel, ['always', 'deny'])
  await turn(kernel)
  expect(asked.map(({ action }) => action)).toEqual([command, command])
  expect(ran).toEqual(['TO=fork', command, command, 'TO=origin'])
  await kernel.stop()
})

test('an answer that covers one of two dangers of a command does not cover the command', async () => {
  const dangers = ['first-danger', 'second-danger'].map((name) => ({ name, why: `is a ${name}`, targets: ['/srv/a'] }))
  const subjects = dangers.map(({ name }) => `danger:${name}:/srv/a`)
  await using kernel = await testKernel({ plugins: ['approvals'] })
  const { asked } = answering(kernel, ['session', 'deny', 'always'])
  const about = { tool: 'shell', action: 'both' }
  const ask = async (covered: readonly string[]) =>
    (await kernel.use(Approvals).request([{ reason: 'is dangerous', subjects: covered }], about, fakeToolTurn())).allow
  expect(await ask(subjects.slice(0, 1))).toBe(true)
  expect(await ask(subjects.slice(0, 1))).toBe(true)
  expect(asked).toHaveLength(1)
  expect(await ask(subjects)).toBe(false)
  expect(await ask([...subjects].reverse())).toBe(true)
  expect(asked).toHaveLength(3)
})

test('jobs that may run unasked take the question away from no one who is there', async () => {
  const { kernel, ran } = await start(['rm -r src'], { cron_mode: 'approve' })
  const { asked } = answering(kernel, ['deny'])
  await turn(kernel)
  expect(asked).toHaveLength(1)
  expect(ran).toEqual([])
  await kernel.stop()
})

test.each(['deny', undefined] as const)(
  'a command that was not allowed (%s) leaves the variables as the shell has them',
  async (answer) => {
    const { kernel, ran } = await start(['X=a', 'rm -r $X', 'X=src', 'X=a; rm -r lib', 'rm -r $X'])
    const { asked } = answering(kernel, ['session', answer, 'deny'])
    await turn(kernel)
    expect(asked.map(({ action }) => action)).toEqual(['rm -r $X', 'X=a; rm -r lib', 'rm -r $X'])
    expect(ran).toEqual(['X=a', 'rm -r $X', 'X=src'])
    await kernel.stop()
  },
)

test('a command that another gate denied leaves the variables as the shell has them', async () => {
  const other: InlinePlugin = {
    name: 'other-gate',
    setup: (ctx) =>
      ctx.on(BeforeToolCall, async ({ acts }) =>
        acts.command === 'X=a' ? { decision: 'deny', reason: 'not now' } : undefined,
      ),
  }
  const { kernel, ran } = await start(['X=a #1', 'rm -r $X', 'X=src', 'X=a', 'rm -r $X'], {}, {}, [other])
  const { asked } = answering(kernel, ['session', 'deny'])
  const { results } = await turn(kernel)
  expect(results[3]).toContain('not now')
  expect(asked.map(({ action }) => action)).toEqual(['rm -r $X', 'rm -r $X'])
  expect(ran).toEqual(['X=a #1', 'rm -r $X', 'X=src'])
  await kernel.stop()
})

const question = { reason: 'deletes folders', hash: 'the-same' }
const about = { tool: 'shell', action: 'rm -r src' }

test('of two processes that ask the question which a crash left, one is allowed by the answers', async () => {
  await using one = await testKernel({ plugins: ['approvals'] })
  await using two = await testKernel({ plugins: ['approvals'], home: one.home })
  const shown: string[] = []
  let answerAll = () => {}
  const answered = new Promise<ApprovalChoice>((resolve) => {
    answerAll = () => resolve('once')
  })
  const outcomes = []
  for (const kernel of [one, two]) {
    kernel.use(Approvals).connect({
      name: 'test',
      reaches: () => true,
      ask: ({ id }) => {
        shown.push(id)
        return answered
      },
    })
    outcomes.push(kernel.use(Approvals).request([question], about, fakeToolTurn()))
    await vi.waitFor(() => expect(shown).toHaveLength(outcomes.length))
  }
  expect(new Set(shown).size).toBe(1)
  answerAll()
  const allowed = (await Promise.all(outcomes)).filter(({ allow }) => allow)
  expect(allowed).toHaveLength(1)
})

test('an answer that comes after the turn was interrupted is none, though the disk took nothing down', async () => {
  await using kernel = await testKernel({ plugins: ['approvals'] })
  kernel.use(Approvals).pending()
  const database = new Sqlite(join(kernel.home, 'data', 'approvals', 'approvals.db'))
  database.exec(
    `CREATE TRIGGER full BEFORE UPDATE ON requests BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
  )
  let late = (_: ApprovalChoice) => {}
  const choice = new Promise<ApprovalChoice>((resolve) => {
    late = resolve
  })
  const stop = new AbortController()
  let asked = 0
  kernel.use(Approvals).connect({
    name: 'test',
    reaches: () => true,
    ask: async () => {
      if (asked++ > 0) return 'deny'
      stop.abort()
      return choice
    },
  })
  const outcome = await kernel.use(Approvals).request([question], about, fakeToolTurn({ signal: stop.signal }))
  expect(outcome).toMatchObject({ allow: false, reason: expect.stringContaining('disk is full') })
  database.exec('DROP TRIGGER full')
  database.close()
  late('once')
  await choice
  await new Promise(setImmediate)
  expect(await kernel.use(Approvals).request([question], about, fakeToolTurn())).toMatchObject({ allow: false })
  expect(asked).toBe(2)
})

test('a call that a crash cut off is asked about whatever stands: a grant, mode off, or a session that asks nothing', async () => {
  await using kernel = await testKernel({ plugins: ['approvals'] })
  const { asked } = answering(kernel, ['always', 'deny', 'deny'])
  const ask = async (again: boolean) =>
    (await kernel.use(Approvals).request([{ ...question, subjects: ['it'] }], about, fakeToolTurn({ again }))).allow
  expect([await ask(false), await ask(false), await ask(true)]).toEqual([true, true, false])
  kernel.use(Approvals).askNothing()
  expect(await ask(true)).toBe(false)
  expect(asked).toHaveLength(3)
  await using off = await testKernel({ plugins: ['approvals'], config: { approvals: { mode: 'off' } } })
  const verdict = await off.use(Approvals).request([question], about, fakeToolTurn({ again: true }))
  expect(verdict).toMatchObject({ allow: false, reason: expect.stringContaining('no person is reachable') })
})

test('a grant for one danger in a folder covers no other danger there, and one session without questions no other', async () => {
  await using kernel = await testKernel({ plugins: ['approvals'] })
  const { asked } = answering(kernel, ['always', 'deny', 'deny'])
  const ask = async (subject: string, sessionId = 'ses_1') =>
    (await kernel.use(Approvals).request([{ reason: 'x', subjects: [subject] }], about, fakeToolTurn({ sessionId })))
      .allow
  expect(await ask('danger:one:/srv/a')).toBe(true)
  expect(await ask('danger:one:/srv/a/b')).toBe(true)
  expect(await ask('danger:two:/srv/a/b')).toBe(false)
  kernel.use(Approvals).askNothing('ses_1')
  expect(await ask('danger:two:/srv/a/b')).toBe(true)
  expect(await ask('danger:two:/srv/a/b', 'ses_2')).toBe(false)
  expect(asked).toHaveLength(3)
})

/** A question that a crash left, as this process finds it. */
async function leftQuestion(action = about.action) {
  const crashed = await testKernel({ plugins: ['approvals'] })
  const stop = new AbortController()
  const shown = new Promise<void>((resolve) => {
    const ask = () => new Promise<undefined>(() => resolve())
    crashed.use(Approvals).connect({ name: 'silent', reaches: () => true, ask })
  })
  void crashed.use(Approvals).request([question], { ...about, action }, fakeToolTurn({ signal: stop.signal }))
  await shown
  const kernel = await testKernel({ plugins: ['approvals'], home: crashed.home })
  const [left] = kernel.use(Approvals).pending()
  if (!left) throw new Error('nothing was left')
  const end = async () => {
    stop.abort()
    await kernel.stop()
    await crashed.stop()
  }
  return { kernel, left, end }
}

test('an answer that was given before the turn goes on counts once, for the very thing that was shown, as it was offered', async () => {
  const same = await leftQuestion()
  const service = same.kernel.use(Approvals)
  expect(() => service.answer(same.left.id, 'always', 'phone')).toThrow(/"always" is no answer here/)
  service.answer(same.left.id, 'once', 'phone')
  const again = () => service.request([question], about, fakeToolTurn())
  expect([(await again()).allow, (await again()).allow]).toEqual([true, false])
  await same.end()
  const other = await leftQuestion('rm -r lib')
  other.kernel.use(Approvals).answer(other.left.id, 'once', 'phone')
  expect(await other.kernel.use(Approvals).request([question], about, fakeToolTurn())).toMatchObject({ allow: false })
  await other.end()
})
