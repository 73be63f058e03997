import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-pushover/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('pushover', openStandIn)

describe('Pushover keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
