import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { feishu, feishuConnection } from './feishu.ts'

export default defineWebhookPlatform((settings) => (settings.events === 'connection' ? feishuConnection : feishu), {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
