/** Offers the platform `ntfy`. */
import { Clock, definePlugin, Net, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { config } from './config.ts'
import { Ntfy } from './platform.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const { server, topic, publish_topic: publishTopic, markdown } = ctx.config
    const secret = (name: string) => ctx.use(Secrets).get(name)?.trim() || undefined
    const account = () => {
      const read = secret('NTFY_TOPIC') ?? topic.trim()
      const shown = secret('NTFY_MARKDOWN')
      return {
        server: (secret('NTFY_SERVER_URL') ?? server.trim()).replace(/\/+$/, ''),
        topic: read,
        publishTopic: (secret('NTFY_PUBLISH_TOPIC') ?? publishTopic.trim()) || read,
        credentials: secret('NTFY_TOKEN'),
        markdown: shown === undefined ? markdown : /^(1|true|yes|on)$/i.test(shown),
      }
    }
    const clock = () => ctx.use(Clock)
    const platform = new Ntfy({
      settings: ctx.config,
      account,
      net: { request: (request) => ctx.use(Net).request(request) },
      clock: { after: (...call) => clock().after(...call), sleep: (...call) => clock().sleep(...call) },
      log: ctx.log,
    })
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'ntfy', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
    ctx.defer(() => platform.close())
  },
})
