import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { smsFake } from '../../../../../sdk/testing/platforms/sms.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('sms', smsFake)

describe('text messages keep the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
