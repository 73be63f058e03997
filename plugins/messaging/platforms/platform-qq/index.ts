import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { qq } from './qq.ts'

export default defineWebhookPlatform(qq, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
