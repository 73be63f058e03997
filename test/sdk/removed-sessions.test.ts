/** What plugins keep of sessions goes with them, and stays for as long as they can come back. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { type PluginContext, Sessions } from 'svc/sdk'
import { forgetWithSessions, type SessionBelongings, SessionTrees } from 'svc/sdk/sessions'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

const DAY = 86_400_000

async function open(options: Parameters<typeof testKernel>[0]) {
  const clock = virtualClock()
  const kernel = await testKernel({ clock, ...options })
  onTestFinished(() => kernel.stop())
  const sessions = kernel.use(Sessions)
  const create = (title: string) => sessions.create({ surface: 'test', cwd: kernel.home, title }).id
  return { kernel, clock, sessions, create }
}

/** A plugin that keeps a value for each session. */
function keeper(until: NonNullable<SessionBelongings['until']>, kept: Set<string>) {
  return {
    name: `keeper-${until}`,
    requires: ['sessions'],
    setup: (ctx: PluginContext<undefined>) =>
      forgetWithSessions(ctx, {
        sessions: () => [...kept],
        forget: (ids) => {
          for (const id of ids) kept.delete(id)
        },
        until,
      }),
  }
}

test('what can be restored is kept, what cannot is forgotten, and what a plugin wants gone goes at once', async () => {
  const [restorable, removed] = [new Set<string>(), new Set<string>()]
  const { create, sessions } = await open({ with: [keeper('restorable', restorable), keeper('removed', removed)] })
  const [stays, trashed, gone] = [create('stays'), create('trashed'), create('gone')]
  for (const id of [stays, trashed, gone]) {
    restorable.add(id)
    removed.add(id)
  }
  await sessions.remove([trashed])
  await sessions.remove([gone], { copy: false })
  expect([...restorable]).toEqual([stays, trashed])
  expect([...removed]).toEqual([stays])
})

test('what another process removed is noticed within a day, and kept until the trash has let go of it', async () => {
  const [restorable, removed] = [new Set(['elsewhere']), new Set(['elsewhere'])]
  const { kernel, create, clock } = await open({ with: [keeper('restorable', restorable), keeper('removed', removed)] })
  const here = create('here')
  restorable.add(here)
  await clock.advance(2 * 60_000)
  await expect.poll(() => [...removed]).toEqual([])
  const missed = join(kernel.home, 'data/keeper-restorable/state/missing-sessions.json')
  await expect.poll(() => existsSync(missed) && !existsSync(`${missed}.lock`)).toBe(true)
  await clock.jump(29 * DAY)
  await clock.advance(60_000)
  expect([...restorable]).toEqual(['elsewhere', here])
  // The next look may not be due yet: it is a day after the end of the last one, which writes to the disk.
  const afterADay = async () => {
    await clock.jump(DAY)
    return [...restorable]
  }
  await expect.poll(afterADay).toEqual([here])
})

test('a session that comes back in time keeps what belongs to it', async () => {
  const kept = new Set<string>()
  const { create, clock, sessions } = await open({ with: [keeper('restorable', kept)] })
  const id = create('comes back')
  kept.add(id)
  const archive = sessions.export(id)
  await sessions.remove([id])
  await clock.jump(20 * DAY)
  await sessions.import(archive)
  for (let month = 0; month < 2; month++) await clock.jump(40 * DAY)
  expect([...kept]).toEqual([id])
})

test('sessions that cannot be read are not taken for removed ones', async () => {
  const kept = new Set(['unreadable'])
  const broken = {
    name: 'broken',
    provides: ['sessions'],
    setup: (ctx: PluginContext<undefined>) =>
      ctx.provide(
        Sessions,
        () =>
          ({
            summary: () => {
              throw new Error('the disk is on fire')
            },
          }) as unknown as Sessions,
      ),
  }
  const clock = virtualClock()
  const kernel = await testKernel({
    clock,
    with: [broken, keeper('removed', kept)],
    config: { plugins: { disabled: ['sessions'] } },
  })
  onTestFinished(() => kernel.stop())
  await clock.jump(3 * DAY)
  expect([...kept]).toEqual(['unreadable'])
})

test('labels stay for a restored session and go with one of which no copy was kept', async () => {
  const { kernel, create, sessions } = await open({ plugins: ['session-tree'] })
  const trees = kernel.use(SessionTrees)
  const [first, second] = [create('first'), create('second')]
  for (const id of [first, second]) {
    sessions.open(id).record({ turnId: 't', events: [], messages: [{ role: 'user', text: 'hi' }], sync: true })
    trees.label(id, { text: 'start' })
  }
  const archive = sessions.export(first)
  await sessions.remove([first])
  await sessions.remove([second], { copy: false })
  await sessions.import(archive)
  expect(trees.labels(first)).toMatchObject([{ text: 'start' }])
  const database = new Sqlite(join(kernel.home, 'data/session-tree/labels.db'), { readonly: true })
  expect(database.prepare('SELECT session FROM labels').all()).toEqual([{ session: first }])
  database.close()
})

test('kept results of tools go with a session of which no copy was kept', async () => {
  const { kernel, create, sessions } = await open({ plugins: ['tool-results', 'agent'] })
  const folder = join(kernel.home, 'data/tool-results')
  const [trashed, gone] = [create('trashed'), create('gone')]
  for (const id of [trashed, gone]) {
    mkdirSync(join(folder, id), { recursive: true })
    writeFileSync(join(folder, id, 'result.txt'), 'long')
  }
  await sessions.remove([trashed])
  await sessions.remove([gone], { copy: false })
  expect(existsSync(join(folder, trashed, 'result.txt'))).toBe(true)
  expect(existsSync(join(folder, gone))).toBe(false)
})
