import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-whatsapp/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('whatsapp', openStandIn)

describe('WhatsApp keeps the contract that platforms have', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
