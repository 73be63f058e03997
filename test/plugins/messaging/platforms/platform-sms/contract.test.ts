import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-sms/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

describe.for(['twilio', 'vonage', 'plivo', 'telnyx'] as const)('text messages by %s', (vendor) => {
  const { contract } = createStages('sms', () => openStandIn(vendor))
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
