import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { qq, qqGateway } from './qq.ts'

export default defineWebhookPlatform((settings) => (settings.events === 'gateway' ? qqGateway : qq), {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
