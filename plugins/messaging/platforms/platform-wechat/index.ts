import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { passive, wechat } from './wechat.ts'

export default defineWebhookPlatform(({ reply }) => (reply === 'passive' ? passive : wechat), {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
