/** Wires the servers. */
import { Clock, definePlugin, Secrets } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Http } from 'svc/sdk/web'
import { type Config, config } from './config.ts'
import { Servers } from './servers.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const servers = new Servers({
      requestTimeoutMs: ctx.config.request_timeout * 1000,
      maxConnections: ctx.config.max_connections,
      hosts: ctx.config.hosts,
      log: ctx.log,
      report: (problem) => ctx.use(Plugins).report(problem),
      clock: () => ctx.use(Clock),
      mask: (text) => ctx.use(Secrets).mask(text),
    })
    ctx.provide(Http, () => servers)
    ctx.defer(() => servers.close())
  },
})
