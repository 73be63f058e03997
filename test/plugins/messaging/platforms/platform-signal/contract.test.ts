import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { signalFake } from '../../../../../sdk/testing/platforms/signal.ts'
import { stagesOf } from '../../../../support/platform-stage.ts'

const { contract } = stagesOf('signal', signalFake)

describe('Signal keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
