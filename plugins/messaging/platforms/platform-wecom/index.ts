import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { wecom } from './wecom.ts'

export default defineWebhookPlatform(wecom, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
