import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { synology } from './synology.ts'

export default defineWebhookPlatform(synology, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
