import { defineStreamPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { twitch } from './twitch.ts'

export default defineStreamPlatform(twitch, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
