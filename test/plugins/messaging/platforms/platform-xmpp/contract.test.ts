import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-xmpp/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('xmpp', openStandIn)

describe('XMPP keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
describe('XMPP keeps it in rooms, too', () => {
  for (const { name, run } of platformContract(() => contract({}, 'lab'))) test(name, run)
})
