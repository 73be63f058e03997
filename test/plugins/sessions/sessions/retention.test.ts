import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PluginContext, Sessions, TurnEnded } from 'svc/sdk'
import { shellQuote } from 'svc/sdk/shell'
import { fakeTurn, testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../storage/support.ts'
import { here, wholeTurn } from './support.ts'

const DAY = 86_400_000

/** Starts of svc on one home, at the time that the clock says. */
function machine() {
  const clock = virtualClock(Date.UTC(2026, 0, 1))
  const home = temporaryFolder()
  return { clock, home, start: (days?: number) => startAt(clock, home, days) }
}

async function startAt(clock: VirtualClock, home: string, days: number | undefined) {
  let plugin: PluginContext<undefined> | undefined
  const talker = {
    name: 'talker',
    setup(ctx: PluginContext<never>) {
      plugin = ctx
    },
  }
  const config = days === undefined ? {} : { sessions: { retention_days: days } }
  const kernel = await testKernel({ plugins: ['sessions-cli'], with: [talker], clock, home, config })
  const sessions = kernel.use(Sessions)
  const trash = join(home, 'trash')
  return {
    kernel,
    sessions,
    titles: () => sessions.list().map(({ title }) => title),
    /** A turn of a new session, as the agent has it. */
    async talk(title: string) {
      const session = sessions.create(here)
      wholeTurn(session, 't1', title, 'yes')
      const turn = fakeTurn({ sessionId: session.id, turnId: 't1' })
      await plugin?.call(TurnEnded, { ...turn, reason: 'completed', usage: {}, text: 'yes' })
      return session.id
    },
    log: () => readFileSync(join(home, 'logs', 'svc.log'), 'utf8'),
    trash: () => (existsSync(trash) ? readdirSync(trash).map((name) => join(trash, name)) : []),
    [Symbol.asyncDispose]: () => kernel.stop(),
  }
}

/** Two conversations of each age, in days before the moment it returns; the oldest first. */
async function history({ clock, start }: ReturnType<typeof machine>, ...ages: number[]): Promise<void> {
  await using svc = await start()
  for (const [at, age] of ages.entries()) {
    await svc.talk(`${age} days, one`)
    await svc.talk(`${age} days, two`)
    await clock.advance((age - (ages[at + 1] ?? 0)) * DAY)
  }
}

test('what was not used for long goes after a turn, says so, and comes back by the line in the log', async () => {
  const home = machine()
  await history(home, 40, 20, 2)
  await using svc = await home.start(30)
  const old = svc.sessions.list({ usedBefore: home.clock.now() - 30 * DAY }).map(({ id }) => svc.sessions.export(id))
  await svc.talk('now')
  await vi.waitFor(() =>
    expect(svc.titles()).toEqual(['now', '2 days, two', '2 days, one', '20 days, two', '20 days, one']),
  )
  const [copy = ''] = svc.trash()
  expect(svc.log()).toContain(`To undo it: svc sessions import ${shellQuote(copy)}`)
  expect(await svc.kernel.run(['sessions', 'import', copy])).toMatchObject({
    code: 0,
    out: '2 conversations imported.\n',
  })
  expect(old.map(({ session }) => svc.sessions.export(session.id))).toEqual(old)
})

test('a command that only looks removes nothing, and neither does a home without a limit', async () => {
  const home = machine()
  await history(home, 40, 20, 2)
  {
    await using svc = await home.start()
    await svc.talk('without a limit')
    expect(svc.titles()).toHaveLength(7)
  }
  await using svc = await home.start(30)
  expect(await svc.kernel.run(['sessions', 'list'])).toMatchObject({ code: 0 })
  expect(await svc.kernel.run(['sessions', 'stats'])).toMatchObject({ code: 0 })
  expect(svc.titles()).toHaveLength(7)
})

test('a clock that is forty days ahead removes nothing, in no process of that day, and is told of once', async () => {
  const home = machine()
  await history(home, 2)
  await home.clock.jump(40 * DAY)
  for (const question of ['first', 'second', 'third', 'fourth']) {
    await using svc = await home.start(30)
    await svc.talk(question)
    expect(svc.titles()).toContain('2 days, one')
    expect(svc.trash()).toEqual([])
    expect(svc.log().match(/Check the clock/g)).toHaveLength(1)
  }
  await using svc = await home.start(30)
  expect(svc.log()).toContain('svc sessions prune --older-than 30d')
})

test('more than half is never removed at once', async () => {
  const home = machine()
  await history(home, 50, 40, 2)
  await using svc = await home.start(30)
  await svc.talk('now')
  expect(svc.titles()).toHaveLength(7)
  expect(svc.log()).toContain('4 of 7 would go at once')
})

test('nothing is removed of which no copy can be written', async () => {
  const home = machine()
  await history(home, 40, 20, 2)
  writeFileSync(join(home.home, 'trash'), 'in the way')
  await using svc = await home.start(30)
  await svc.talk('now')
  await vi.waitFor(() => expect(svc.log()).toContain('could not be removed'))
  expect(svc.titles()).toHaveLength(7)
})
