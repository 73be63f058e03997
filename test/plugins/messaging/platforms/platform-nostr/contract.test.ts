import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { createStages } from '../../../../support/platform-stage.ts'
import { openStandIn } from './support.ts'

const { contract } = createStages('nostr', openStandIn)

describe('Nostr keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})
