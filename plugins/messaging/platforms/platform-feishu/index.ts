import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { feishu } from './feishu.ts'

export default defineWebhookPlatform(feishu, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
