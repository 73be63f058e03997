import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-matrix/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('matrix', () => openStandIn({ isEncrypted: true }))

describe('Matrix keeps the contract of platforms in encrypted rooms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
