import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { wechat } from './wechat.ts'

export default defineWebhookPlatform(wechat, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
