import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { describeSms } from './sms.ts'

export default defineWebhookPlatform(describeSms, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
