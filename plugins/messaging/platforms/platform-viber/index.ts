import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { viber } from './viber.ts'

export default defineWebhookPlatform(viber, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
