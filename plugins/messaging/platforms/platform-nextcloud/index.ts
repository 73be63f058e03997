import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { nextcloud } from './nextcloud.ts'

export default defineWebhookPlatform(nextcloud, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
