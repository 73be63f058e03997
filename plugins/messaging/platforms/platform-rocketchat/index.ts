import { defineStreamPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { rocketchat } from './rocketchat.ts'

export default defineStreamPlatform(rocketchat, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
