import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Seals } from 'svc/sdk/safety'
import { Storage } from 'svc/sdk/storage'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { ApprovalStore } from '../../../../plugins/safety/approvals/store.ts'

const request = {
  id: 'r1',
  sessionId: 's1',
  turnId: 't1',
  tool: 'terminal',
  action: 'rm -r src',
  reason: 'deletes folders',
  choices: ['once', 'deny'],
  expiresAt: 1000,
  hash: 'h1',
} as const

function open(kernel: TestKernel, file = join(kernel.home, 'approvals.db')): ApprovalStore {
  return new ApprovalStore(
    () => kernel.use(Storage),
    () => kernel.use(Seals),
    file,
  )
}

const grant = {
  id: 'g1',
  scope: 'always',
  holder: '',
  subject: 'rm -r',
  covers: 'rm -r',
  action: 'rm -r src',
  reason: 'deletes folders',
  cwd: '/srv',
  grantedAt: 1,
  grantedBy: 'anna',
} as const

/** Changes the file as any program of the user could. */
function tamper(kernel: TestKernel, sql: string): void {
  const database = new Sqlite(join(kernel.home, 'approvals.db'))
  database.exec(sql)
  database.close()
}

test('a request that a crash left is there after the restart, and is settled once', async () => {
  await using kernel = await testKernel({ plugins: ['storage'] })
  const crashed = open(kernel)
  crashed.add(request, 7, 0)
  await crashed.close()
  const store = open(kernel)
  expect(store.pending(10)).toMatchObject([{ request: { id: 'r1', action: 'rm -r src' }, pid: 7 }])
  expect(store.left('s1', 'other', 20)).toBeUndefined()
  expect(store.left('s1', 'h1', 20)?.id).toBe('r1')
  expect(store.settle('r1', { choice: 'once', by: 'x' }, 20)).toBe(true)
  expect(store.settle('r1', { choice: 'deny', by: 'y' }, 21)).toBe(false)
  expect(store.answeredBy('r1')).toBe('x')
  expect(store.left('s1', 'h1', 20)).toBeUndefined()
  await store.close()
})

test('a request is gone when its time is over', async () => {
  await using kernel = await testKernel({ plugins: ['storage'] })
  const store = open(kernel)
  store.add(request, 7, 0)
  expect(store.pending(1000)).toEqual([])
  await store.close()
})

test('a request that another program wrote or changed is as if it was not there', async () => {
  await using kernel = await testKernel({ plugins: ['storage'] })
  const store = open(kernel)
  store.add(request, 7, 0)
  tamper(
    kernel,
    `INSERT INTO requests (id, session, hash, expires_at, data, pid, seal)
       SELECT 'r2', session, 'h2', expires_at, replace(data, 'rm -r src', 'ls'), pid, seal FROM requests`,
  )
  expect(store.pending(10)).toMatchObject([{ request: { id: 'r1' } }])
  tamper(kernel, `UPDATE requests SET data = replace(data, 'rm -r src', 'ls')`)
  expect(store.pending(10)).toEqual([])
  expect(store.left('s1', 'h1', 10)).toBeUndefined()
  await store.close()
})

test('a grant that another program wrote, copied or widened does not hold', async () => {
  await using kernel = await testKernel({ plugins: ['storage'] })
  const store = open(kernel)
  store.grant({ ...grant, scope: 'session', holder: 's1' })
  expect([...store.granted('s1', '/srv')]).toEqual(['rm -r'])
  tamper(
    kernel,
    `INSERT INTO standing SELECT 'g2', scope, 's2', subject, covers, action, reason, cwd, granted_at, granted_by, seal
       FROM standing;
     INSERT INTO standing VALUES ('g3', 'always', '', 'git push', '', '', '', '/srv', 1, 'x', NULL);`,
  )
  expect([...store.granted('s2', '/srv')]).toEqual([])
  expect(store.grants()).toEqual([])
  tamper(kernel, `UPDATE standing SET scope = 'always' WHERE id = 'g1'`)
  expect([...store.granted('s1', '/srv')]).toEqual([])
  await store.close()
})

test('grants of an older version, which nothing seals, end', async () => {
  const kernel = await testKernel({ plugins: ['storage'] })
  const file = join(kernel.home, 'approvals.db')
  const old = `CREATE TABLE requests (id TEXT); CREATE TABLE grants (id TEXT PRIMARY KEY, scope TEXT, session TEXT,
    subject TEXT, action TEXT, reason TEXT, cwd TEXT, granted_at INTEGER, granted_by TEXT);`
  const before = await kernel.use(Storage).open({ file, migrations: [old] })
  const add = before.prepare("INSERT INTO grants VALUES (?, ?, ?, ?, 'rm -r a', 'deletes', '/srv', 1, 'anna')")
  add.run('g1', 'always', '', 'hash-of-it')
  add.run('g2', 'session', 's1', 'recursive-delete')
  await before.close()
  const store = open(kernel, file)
  expect([...store.granted('s1', '/srv')]).toEqual([])
  expect(store.grants()).toEqual([])
  await store.close()
  await kernel.stop()
})
