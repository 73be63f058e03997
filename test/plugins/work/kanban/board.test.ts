/** The boards in files: their contract, and what only files and clocks of machines can come to. */
import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { Boards, TASK_STATUSES } from 'svc/sdk/kanban'
import { SharedStore } from 'svc/sdk/store'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../../plugins/work/kanban/migrations.ts'
import type { Tables } from '../../../../plugins/work/kanban/tables.ts'
import { drawDiagram, listPairs, TRANSITIONS } from '../../../../plugins/work/kanban/transitions.ts'
import { boardContract, claim } from '../../../support/kanban/contract.ts'
import { read } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

async function start(home = temporaryFolder(), clock = virtualClock()) {
  const kernel = await testKernel({ plugins: ['kanban'], home, clock })
  onTestFinished(() => kernel.stop())
  return { kernel, boards: kernel.use(Boards), clock }
}

boardContract(start)

test('the diagram in the README is that of the table', () => {
  expect(read('plugins/work/kanban/README.md')).toContain(`\`\`\`mermaid\n${drawDiagram(TRANSITIONS)}\n\`\`\``)
})

const by = 'anna'
const HOUR_MS = 3_600_000

test('the database itself refuses every step that the table does not have', async () => {
  const { kernel, boards } = await start()
  const { task } = await boards.create({ title: 'x', by })
  await using db = await kernel.use(SharedStore).open<Tables>({ owner: 'kanban', scope: 'installation', migrations })
  const allowed = listPairs(TRANSITIONS).map(({ from, to }) => `${from}>${to}`)
  const row = await db.query.selectFrom('tasks').selectAll().where('id', '=', task.id).executeTakeFirstOrThrow()
  const tries = async (from: string, to: string) => {
    const write = db.transaction(async (tx) => {
      if (from === '')
        await tx
          .insertInto('tasks')
          .values({ ...row, id: 't_x', status: to })
          .execute()
      else {
        // As it would be in that status, whichever way it came there.
        await tx.deleteFrom('tasks').where('id', '=', row.id).execute()
        await tx
          .insertInto('transitions')
          .values({ from_status: '', to_status: from })
          .onConflict((is) => is.doNothing())
          .execute()
        await tx
          .insertInto('tasks')
          .values({ ...row, status: from })
          .execute()
        const claimed = to === 'running' ? { epoch: row.epoch + 1, nonce: 'n', run_id: 1 } : {}
        await tx
          .updateTable('tasks')
          .set({ status: to, ...claimed })
          .where('id', '=', row.id)
          .execute()
      }
      throw new Error('taken')
    })
    return (await write.catch((error: Error & { code?: string }) => error.code ?? error.message)) as unknown as string
  }
  for (const from of ['', ...TASK_STATUSES])
    for (const to of TASK_STATUSES) {
      if (from === to) continue
      const result = await tries(from, to)
      expect(`${from}>${to} ${result}`).toBe(
        `${from}>${to} ${allowed.includes(`${from}>${to}`) ? 'taken' : 'STORAGE_CONFLICT'}`,
      )
    }
  const running = db.query.updateTable('tasks').set({ status: 'running' }).where('id', '=', row.id).execute()
  await expect(running).rejects.toMatchObject({ code: 'STORAGE_CONFLICT' })
})

test('a clock that is set back prolongs a lease and a pause by no more than their own time', async () => {
  const home = temporaryFolder()
  const early = await start(home, virtualClock(Date.UTC(2026, 0, 1, 11)))
  const late = await start(home, virtualClock(Date.UTC(2026, 0, 1, 12)))
  const { task } = await late.boards.create({ title: 'x', by, assignee: 'a' })
  await claim(late.boards, task.id)
  expect(await early.boards.lapsed()).toEqual([])
  await early.clock.advance(60_001)
  expect(await early.boards.lapsed()).toMatchObject([{ taskId: task.id }])
  await late.boards.endRun({ taskId: task.id, epoch: 1 }, { outcome: 'rate_limited', pauseMs: 60_000 })
  expect(await late.boards.claimable({ limit: 5 })).toEqual([])
  expect(await early.boards.claimable({ limit: 5 })).toHaveLength(1)
})

test('a clock that is set forward ends a lease early, and its late worker changes nothing', async () => {
  const { boards, clock } = await start()
  const { task } = await boards.create({ title: 'x', by, assignee: 'a' })
  const { lease } = await claim(boards, task.id)
  await clock.jump(HOUR_MS)
  const [run] = await boards.lapsed()
  if (run) await boards.endRun(run, { outcome: 'lapsed' })
  const late = boards.complete(task.id, { by, lease, summary: 'x' })
  await expect(late).rejects.toMatchObject({ code: 'KANBAN_LEASE_LOST' })
  expect((await boards.get(task.id)).status).toBe('ready')
})

test('a board of a later version is left alone, with the reason', async () => {
  const home = temporaryFolder()
  const first = await start(home)
  await first.boards.create({ title: 'x', by })
  await first.kernel.stop()
  const later = await testKernel({ plugins: ['shared-store'], home })
  const more = [...migrations, async () => {}]
  await (await later.use(SharedStore).open({ owner: 'kanban', scope: 'installation', migrations: more })).close()
  await later.stop()
  const { boards } = await start(home)
  await expect(boards.list()).rejects.toMatchObject({ code: 'STORAGE_TOO_NEW' })
})

test('a board file that was cut in half is kept aside, and there is a board again', async () => {
  const home = temporaryFolder()
  const first = await start(home)
  for (let n = 0; n < 50; n++) await first.boards.create({ title: `${n}`, body: 'x'.repeat(2000), by })
  await first.kernel.stop()
  const folder = join(home, 'data/shared-store')
  const file = join(folder, 'kanban.db')
  truncateSync(file, Math.floor(statSync(file).size / 2))
  const { boards } = await start(home)
  await boards.create({ title: 'again', by })
  expect((await boards.list()).tasks.map(({ title }) => title)).toContain('again')
  expect(
    readdirSync(folder).filter((name) => name.startsWith('kanban.db') && /corrupt|damaged/.test(name)),
  ).not.toEqual([])
})
