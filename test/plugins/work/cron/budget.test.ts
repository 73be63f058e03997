/** What a job may spend: over all its runs, in one run, and over restarts. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeProvider, type ScriptedReply } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { hour, setClock, startCron } from './support.ts'

/** Each answer costs a quarter of a dollar. */
const usage = { input: 10, output: 5, costUsd: 0.25 }

async function start(home: string, clock = setClock(), replies: readonly ScriptedReply[] = [{ text: 'Done.', usage }]) {
  const model = fakeProvider(replies)
  const config = { model: { provider: 'fake', default: 'fake-1' } }
  const { kernel, cron } = await startCron({ home, clock, with: [model.plugin], config })
  const next = async () => {
    clock.set(hour)
    const { runs } = await cron.tick()
    return runs[0]
  }
  return { kernel, cron, clock, model, next }
}

test('a job whose budget is used up is not run any more, which is told once, also after a restart', async () => {
  const home = temporaryFolder()
  const one = await start(home)
  const { id } = await one.cron.create({ schedule: await one.cron.parse('every 1h'), prompt: 'Look', budgetUsd: 0.5 })
  expect(await one.next()).toMatchObject({ status: 'ok', costUsd: 0.25 })
  expect(await one.next()).toMatchObject({ status: 'ok', costUsd: 0.25 })
  expect(await one.next()).toMatchObject({
    outcome: 'skipped',
    reason: 'budget',
    error: 'Its budget is used up: $0.50 of $0.50 are spent.',
  })
  const files = () =>
    readdirSync(one.kernel.home, { recursive: true })
      .map(String)
      .filter((path) => path.includes(`output/${id}/`))
  expect(readFileSync(join(one.kernel.home, files().toSorted()[2] ?? ''), 'utf8')).toMatch(
    /is not run any more. Its budget/,
  )
  await one.kernel.stop()
  const other = await start(home, one.clock)
  expect(await other.next()).toMatchObject({ outcome: 'skipped', reason: 'budget' })
  expect(files()).toHaveLength(3)
  expect(other.model.requests).toEqual([])
  // More may be spent: it goes on.
  await other.cron.edit(id, { budgetUsd: 1 })
  expect(await other.next()).toMatchObject({ status: 'ok' })
})

test('a run ends where its own budget does, and says so', async () => {
  const call = { calls: [{ name: 'nothing', input: {} }], usage }
  const { cron, next, model } = await start(temporaryFolder(), setClock(), [call, call, { text: 'Done.', usage }])
  await cron.create({ schedule: await cron.parse('every 1h'), prompt: 'Look', runBudgetUsd: 0.4 })
  expect(await next()).toMatchObject({ status: 'failed', error: expect.stringMatching(/budget|cap/i), costUsd: 0.5 })
  expect(model.requests).toHaveLength(2)
  // The next one has a budget of its own.
  expect(await next()).toMatchObject({ status: 'ok' })
})
