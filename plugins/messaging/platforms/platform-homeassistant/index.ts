/** Offers the platform `homeassistant` and the tools for it. Nothing connects before the gateway says so. */
import { Clock, definePlugin, Net, Secrets, Tools } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { HomeApi } from './api.ts'
import { config } from './config.ts'
import { HomeAssistant } from './platform.ts'
import { homeTools } from './tools.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const secret = (name: string) => ctx.use(Secrets).get(name)?.trim()
    const account = () => ({
      url: (secret('HASS_URL') || ctx.config.url.trim()).replace(/\/+$/, ''),
      token: secret('HASS_TOKEN') ?? '',
    })
    const clock = () => ctx.use(Clock)
    const api = new HomeApi({ request: (request) => ctx.use(Net).request(request) }, account)
    const platform = new HomeAssistant({
      config: ctx.config,
      api,
      account,
      clock: {
        now: () => clock().now(),
        monotonic: () => clock().monotonic(),
        after: (...call) => clock().after(...call),
        sleep: (...call) => clock().sleep(...call),
      },
      log: ctx.log,
    })
    ctx.add(Platforms, platform)
    ctx.add(StandIns, {
      name: 'homeassistant',
      open: async () => (await import('./stand-in/service.ts')).openStandIn(),
    })
    ctx.defer(() => platform.close())
    const missing = () => (account().token ? undefined : 'needs HASS_TOKEN')
    for (const tool of homeTools(() => api, missing)) ctx.add(Tools, tool)
  },
})
