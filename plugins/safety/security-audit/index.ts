import { CliCommands, Clock, definePlugin, Net } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { AuditSources, SecurityAudit } from 'svc/sdk/safety'
import { Caches } from 'svc/sdk/storage'
import { audit } from './audit.ts'
import { securityCommand } from './cli.ts'
import { config } from './config.ts'
import { type Advisory, advisory } from './osv.ts'
import { packagesSource, pluginsSource } from './sources.ts'

const CACHE = {
  name: 'advisories',
  ttlMs: 30 * 24 * 60 * 60_000,
  isValue: (value: unknown): value is Advisory => advisory.safeParse(value).success,
}

export default definePlugin({
  config,
  setup(ctx) {
    ctx.provide(SecurityAudit, () => ({
      run: ({ signal, skip = [], progress = () => {} }) => {
        const { url, timeout } = ctx.config
        const cache = ctx.find(Caches)?.open<Advisory>(CACHE)
        const deps = {
          net: ctx.use(Net),
          clock: ctx.use(Clock),
          log: ctx.log,
          ...(cache && { cache }),
          url,
          timeoutMs: timeout * 1000,
          signal,
        }
        return audit({ sources: ctx.all(AuditSources).all(), skip, progress }, deps)
      },
    }))
    ctx.add(
      AuditSources,
      packagesSource(() => ctx.use(Plugins).info(ctx.name)),
    )
    ctx.add(
      AuditSources,
      pluginsSource(() => ctx.use(Plugins).list()),
    )
    ctx.add(
      CliCommands,
      securityCommand(() => ctx.use(SecurityAudit)),
    )
  },
})
