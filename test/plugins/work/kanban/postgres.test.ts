/** The boards at a real PostgreSQL server: their contract. */
import { Boards } from 'svc/sdk/kanban'
import { testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { boardContract } from '../../../support/kanban/contract.ts'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'

const missing = missingPostgres()
let server: Postgres
let count = 0

beforeAll(async () => {
  if (missing === undefined) server = await Postgres.start()
})
afterAll(() => server?.stop())

describe.skipIf(missing !== undefined)(`PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  boardContract(async () => {
    const kernel = await testKernel({
      plugins: ['kanban'],
      env: { SVC_STORAGE_URL: server.url },
      config: { storage: { prefix: `k${++count}`, timeout_seconds: 20 } },
    })
    onTestFinished(() => kernel.stop())
    return { kernel, boards: kernel.use(Boards) }
  })
})
