import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { googlechat } from './googlechat.ts'

export default defineWebhookPlatform(googlechat, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
