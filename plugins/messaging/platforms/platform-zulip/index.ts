import { defineStreamPlatform } from 'svc/sdk/kit/platform'
import { config } from './config.ts'
import { zulip } from './zulip.ts'

export default defineStreamPlatform(zulip, {
  config,
  openStandIn: async () => (await import('./stand-in/service.ts')).openStandIn(),
})
