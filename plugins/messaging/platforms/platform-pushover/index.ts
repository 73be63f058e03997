import { defineStreamPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { pushover } from './pushover.ts'

export default defineStreamPlatform(pushover, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
