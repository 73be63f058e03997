import { testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { storeContract } from '../../../support/store/contract.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

storeContract('SQLite', () => {
  const home = temporaryFolder()
  return async () => {
    const kernel = await testKernel({ plugins: ['shared-store'], home })
    onTestFinished(() => kernel.stop())
    return kernel
  }
})
