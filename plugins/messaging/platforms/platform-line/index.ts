import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { line } from './line.ts'

export default defineWebhookPlatform(line, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
