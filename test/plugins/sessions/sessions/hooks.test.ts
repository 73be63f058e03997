import { readFileSync } from 'node:fs'
import { defineSessionState, type PluginContext, Sessions } from 'svc/sdk'
import { SessionBranched, SessionCompacted, SessionRewound, SessionsRemoved, SessionsRestored } from 'svc/sdk/hooks'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { here, wholeTurn } from './support.ts'

const Place = defineSessionState<string>('observer:place', {
  undo: 'keeps',
  parse: (value) => (typeof value === 'string' ? value : undefined),
})

/** A kernel with a plugin that notes what it hears, and what is stored at that moment. */
async function observed() {
  const heard: unknown[] = []
  const observer = {
    name: 'observer',
    setup(ctx: PluginContext<undefined>) {
      const known = () =>
        ctx
          .use(Sessions)
          .list()
          .map(({ id }) => id)
      ctx.on(SessionBranched, (event) => void heard.push({ ...event, stored: known().includes(event.sessionId) }))
      ctx.on(SessionRewound, (event) => {
        heard.push({ ...event, left: ctx.use(Sessions).open(event.sessionId).messages().length })
      })
      ctx.on(SessionCompacted, (event) => {
        heard.push({ ...event, left: ctx.use(Sessions).open(event.sessionId).messages().length })
      })
      ctx.on(SessionsRemoved, ({ sessions, isRestorable }) => {
        const ids = sessions.map(({ id }) => id)
        heard.push({ removed: ids, isRestorable, stored: known().filter((id) => ids.includes(id)) })
      })
      ctx.on(SessionsRestored, ({ sessions }) => void heard.push({ restored: sessions.map(({ id }) => id) }))
    },
  }
  const kernel = await testKernel({ plugins: ['sessions-cli'], with: [observer] })
  onTestFinished(() => kernel.stop())
  return { kernel, heard, sessions: kernel.use(Sessions) }
}

test('a branch is announced when it is stored, also one that a shell command makes', async () => {
  const { kernel, heard, sessions } = await observed()
  const parent = sessions.create(here)
  wholeTurn(parent, 't1', 'hi', 'hello')
  const branch = sessions.branch(parent.id, { upTo: 1 })
  expect(heard).toEqual([])
  await expect.poll(() => heard).toEqual([{ sessionId: branch.id, parentId: parent.id, messageCount: 1, stored: true }])
  const { out } = await kernel.run(['sessions', 'branch', parent.id, '--json'])
  const { id } = JSON.parse(out) as { id: string }
  await expect.poll(() => heard.at(-1)).toEqual({ sessionId: id, parentId: parent.id, messageCount: 2, stored: true })
})

test('an undo, a redo and a summary are announced with the number of messages, and nothing is when nothing changed', async () => {
  const { heard, sessions } = await observed()
  const session = sessions.create(here)
  wholeTurn(session, 't1', 'hi', 'hello')
  wholeTurn(session, 't2', 'more', 'yes')
  session.rewind(2)
  await expect.poll(() => heard).toEqual([{ sessionId: session.id, kind: 'undone', messageCount: 2, left: 2 }])
  session.rewind(7)
  session.unwind()
  await expect.poll(() => heard.at(-1)).toEqual({ sessionId: session.id, kind: 'redone', messageCount: 2, left: 4 })
  session.unwind()
  const summary = [{ role: 'user', text: 'in short' } as const]
  session.compress({ from: 0, to: 2, summary })
  await expect.poll(() => heard.at(-1)).toEqual({ sessionId: session.id, replaced: 2, summary, left: 3 })
  expect(heard).toHaveLength(3)
})

test('removed sessions are announced before the removal resolves, and again as restored when they come back', async () => {
  const { kernel, heard, sessions } = await observed()
  const [one, two] = [sessions.create(here), sessions.create(here)]
  for (const session of [one, two]) wholeTurn(session, 't1', 'hi', 'hello')
  const { backup = '' } = await sessions.remove([one.id])
  expect(heard).toEqual([{ removed: [one.id], isRestorable: true, stored: [] }])
  const pruned = await kernel.run(['sessions', 'delete', two.id, '--yes'])
  expect(pruned.code).toBe(0)
  expect(heard.at(-1)).toEqual({ removed: [two.id], isRestorable: true, stored: [] })
  await kernel.run(['sessions', 'import', backup])
  await expect.poll(() => heard.at(-1)).toEqual({ restored: [one.id] })
  await sessions.remove([one.id], { copy: false })
  expect(heard.at(-1)).toEqual({ removed: [one.id], isRestorable: false, stored: [] })
})

test('a listener that fails keeps nothing from being removed', async () => {
  const failing = {
    name: 'failing',
    setup: (ctx: PluginContext<undefined>) =>
      void ctx.on(SessionsRemoved, () => {
        throw new Error('no disk')
      }),
  }
  await using kernel = await testKernel({ plugins: ['sessions'], with: [failing] })
  const session = kernel.use(Sessions).create(here)
  wholeTurn(session, 't1', 'hi', 'hello')
  expect((await kernel.use(Sessions).remove([session.id])).removed).toEqual([session.id])
  expect(kernel.use(Sessions).list()).toEqual([])
})

test('state of a session goes with it, and the copy in the trash brings it back', async () => {
  const { kernel, sessions } = await observed()
  const session = sessions.create(here)
  wholeTurn(session, 't1', 'hi', 'hello')
  session.setState(Place, 'Oslo harbour')
  const { backup = '' } = await sessions.remove([session.id])
  expect(() => session.setState(Place, 'again')).toThrow()
  expect(readFileSync(backup, 'utf8')).toContain('Oslo harbour')
  await kernel.run(['sessions', 'import', backup])
  expect(sessions.open(session.id).state(Place)).toBe('Oslo harbour')
})
