/** Many workers on one board, and a board on a full disk. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Boards } from 'svc/sdk/kanban'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const WORKERS = 200
const PROCESSES = 4
const ROUNDS = 3
const dist = join(root, 'dist')

async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = [text(child.stdout), text(child.stderr)]
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out: await out, err: await err }
}

async function beatAll(env: Readonly<Record<string, string>>): Promise<void> {
  const home = temporaryFolder()
  const kernel = await testKernel({ plugins: ['kanban'], home, env })
  onTestFinished(() => kernel.stop())
  const boards = kernel.use(Boards)
  const claimOne = async (_: unknown, at: number) => {
    const { task } = await boards.create({ title: `${at}`, by: 'test', assignee: 'a' })
    const claim = await boards.claim(task.id, { holder: 'test', ttlMs: 600_000 })
    if (claim.refused !== undefined) throw new Error(claim.refused)
    return `${task.id}/${claim.lease.epoch}/${claim.lease.nonce}`
  }
  const claims: string[] = []
  while (claims.length < WORKERS) claims.push(...(await Promise.all(Array.from({ length: 5 }, claimOne))))
  const { lastEvent } = await boards.stats()
  const child = join(import.meta.dirname, 'heartbeat-child.mjs')
  const share = WORKERS / PROCESSES
  const ends = await Promise.all(
    Array.from({ length: PROCESSES }, (_, at) =>
      run([child, dist, `${ROUNDS}`, ...claims.slice(at * share, (at + 1) * share)], {
        ...{ SVC_HOME: home, HOME: home },
        ...env,
      }),
    ),
  )
  for (const { code, err } of ends) expect({ code, err }).toEqual({ code: 0, err: '' })
  const events = await boards.events({ kinds: ['heartbeat'], after: lastEvent, limit: 5000 })
  expect(events).toHaveLength(WORKERS * ROUNDS)
}

test(`heartbeats of ${WORKERS} workers at once, of ${PROCESSES} processes, are all written`, () => beatAll({}), 180_000)

const missing = missingPostgres()
test.skipIf(missing !== undefined)(
  `the same at PostgreSQL${missing ? ` (${missing})` : ''}`,
  async () => {
    const server = await Postgres.start()
    onTestFinished(() => server.stop())
    await beatAll({ SVC_STORAGE_URL: server.url })
  },
  180_000,
)

test('on a full disk a change of the board fails with the reason, nothing that was there is lost, and all works again with room', async ({
  skip,
}) => {
  const home = temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,mode=700', 'none', home], { stdio: 'ignore' })
  } catch {
    skip('a small file system cannot be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', home]))
  mkdirSync(join(home, 'logs'), { recursive: true })
  const kanban = (...words: string[]) =>
    run([join(dist, 'kernel/bin.cjs'), 'kanban', ...words], { SVC_HOME: home, HOME: home })
  expect(await kanban('create', 'first')).toMatchObject({ code: 0 })
  const { bavail, bsize } = statfsSync(home)
  writeFileSync(join(home, 'ballast'), Buffer.alloc(bavail * bsize))
  const refused = await kanban('create', 'second', '--body', 'long '.repeat(12_000))
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/full|no space/i) })
  expect(refused.err).not.toMatch(/\n\s+at /)
  rmSync(join(home, 'ballast'))
  expect((await kanban('list')).out).toMatch(/first/)
  expect(await kanban('create', 'third')).toMatchObject({ code: 0 })
  const { out } = await kanban('list', '--json')
  expect(out.match(/"title": ?"[a-z]+"/g)?.map((each) => each.slice(8).replace(/[": ]/g, ''))).toEqual([
    'first',
    'third',
  ])
}, 120_000)
