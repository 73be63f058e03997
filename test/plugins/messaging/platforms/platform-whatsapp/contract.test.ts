import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { whatsappFake } from '../../../../../sdk/testing/platforms/whatsapp.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('whatsapp', whatsappFake)

describe('WhatsApp keeps the contract that platforms have', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
