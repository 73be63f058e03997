import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { bluebubbles } from './bluebubbles.ts'
import { config } from './config.ts'

export default defineWebhookPlatform(bluebubbles, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
