import { defineWebhookPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { teams } from './teams.ts'

export default defineWebhookPlatform(teams, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
