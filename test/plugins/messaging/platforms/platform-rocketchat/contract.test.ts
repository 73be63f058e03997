import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-rocketchat/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('rocketchat', openStandIn)

describe('Rocket.Chat keeps the contract of platforms in a direct message', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})

describe('Rocket.Chat keeps the contract of platforms in a channel', () => {
  for (const { name, run } of platformContract(() => contract({}, 'lab'))) test(name, run)
})
