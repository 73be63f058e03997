import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-mattermost/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('mattermost', openStandIn)

describe('Mattermost keeps the contract of platforms in a direct message', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})

describe('Mattermost keeps the contract of platforms in a channel', () => {
  for (const { name, run } of platformContract(() => contract({}, 'lab'))) test(name, run)
})
