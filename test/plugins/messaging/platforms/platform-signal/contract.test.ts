import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { signalFake } from '../../../../../sdk/testing/platforms/signal.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('signal', signalFake)

describe('Signal keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
