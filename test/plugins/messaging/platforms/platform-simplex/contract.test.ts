import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-simplex/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('simplex', openStandIn)

describe('SimpleX keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
describe('SimpleX keeps it in groups, too', () => {
  for (const { name, run } of platformContract(() => contract({}, 'lab'))) test(name, run)
})
