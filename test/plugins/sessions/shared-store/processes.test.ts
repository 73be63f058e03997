import { join } from 'node:path'
import { testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { storeProcesses } from '../../../support/store/processes.ts'

storeProcesses('SQLite', async () => {
  const kernel = await testKernel({ plugins: ['shared-store'] })
  onTestFinished(() => kernel.stop())
  return { kernel, folder: join(kernel.home, 'data', 'shared-store'), url: '', prefix: 'svc' }
})
