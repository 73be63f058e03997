import { defineStreamPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { gotify } from './gotify.ts'

export default defineStreamPlatform(gotify, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
