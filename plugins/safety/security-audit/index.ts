import { CliCommands, Clock, definePlugin, Net } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { AuditSources, SecurityAudit } from 'svc/sdk/safety'
import { Caches } from 'svc/sdk/storage'
import { audit, findMalware } from './audit.ts'
import { securityCommand } from './cli.ts'
import { config } from './config.ts'
import { type Advisory, advisory, type OsvDeps } from './osv.ts'
import { packagesSource, pluginsSource } from './sources.ts'

const CACHE = {
  name: 'advisories',
  ttlMs: 30 * 24 * 60 * 60_000,
  isValue: (value: unknown): value is Advisory => advisory.safeParse(value).success,
}

export default definePlugin({
  config,
  setup(ctx) {
    const osv = (signal: AbortSignal): OsvDeps => {
      const { url, timeout } = ctx.config
      const cache = ctx.find(Caches)?.open<Advisory>(CACHE)
      const shared = { net: ctx.use(Net), clock: ctx.use(Clock), log: ctx.log, ...(cache && { cache }) }
      return { ...shared, url, timeoutMs: timeout * 1000, signal }
    }
    ctx.provide(SecurityAudit, () => ({
      run: ({ signal, skip = [], progress = () => {} }) =>
        audit({ sources: ctx.all(AuditSources).all(), skip, progress }, osv(signal)),
      findMalware: (components, { signal }) => findMalware(components, osv(signal)),
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
