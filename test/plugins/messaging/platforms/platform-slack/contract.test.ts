import { platformContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { contract } = createStages('slack', openStandIn)

describe('Slack keeps the contract of platforms in a direct message, over a socket', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})

describe('Slack keeps the contract of platforms in a channel, over a socket', () => {
  for (const { name, run } of platformContract(() => contract({}, 'lab'))) test(name, run)
})

describe('Slack keeps the contract of platforms over HTTP', () => {
  const config = { mode: 'events', http_port: 0 }
  for (const { name, run } of platformContract(() => contract({ config }))) test(name, run)
})
