import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { matrixFake } from '../../../../../sdk/testing/platforms/matrix.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('matrix', matrixFake)

describe('Matrix keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
