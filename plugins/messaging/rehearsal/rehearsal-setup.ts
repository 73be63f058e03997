/** A gateway in a home that is thrown away, connected to a stand-in, with the user's own rules. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Clock, Config, type PluginContext, Secrets } from 'svc/sdk'
import { type Manifest, Plugins, type Runtime, Runtimes } from 'svc/sdk/host'
import {
  Gateway,
  Outbox,
  type Platform,
  type PlatformStatus,
  Platforms,
  type StandInDelivery,
  type StandInService,
  StandIns,
} from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import { Http } from 'svc/sdk/web'

/** What a rehearsal works with. */
export interface RehearsalSetup {
  readonly fake: StandInService
  readonly gateway: Gateway
  readonly outbox: Outbox
  readonly access: Access
  readonly platform: Platform
  status(): PlatformStatus | undefined
  /** What came to the chat since; resolves with it once `isThere` says so, or when it was waited long enough. */
  until(isThere: (seen: readonly StandInDelivery[]) => boolean, since: number): Promise<readonly StandInDelivery[]>
  /** Resolves when `look` does, or is false after a while. */
  soon(look: () => boolean): Promise<boolean>
  close(): Promise<void>
}

const PATIENCE_MS = 15_000
const POLL_MS = 25

export async function openStage(ctx: PluginContext<undefined>, fake: StandInService): Promise<RehearsalSetup> {
  const config = ctx.use(Config)
  const clock = ctx.use(Clock)
  const block = config.get(`platforms.${fake.name}`)
  const own = typeof block === 'object' && block !== null ? block : {}
  const home = await mkdtemp(join(tmpdir(), 'svc-rehearsal-'))
  const runtime = await ctx.use(Runtimes).open({
    home,
    plugins: ['gateway'],
    dirs: foreignFolders(ctx, fake.name),
    config: {
      model: { provider: 'demo' },
      gateway: config.get('gateway') ?? {},
      platforms: { [fake.name]: { ...own, ...fake.config, enabled: true } },
    },
    env: { ...fake.env, ...accessVariables(ctx, fake.name) },
  })
  const gateway = runtime.use(Gateway)
  await gateway.start()
  const platform = runtime.all(Platforms).get(fake.name) as Platform
  const soon = async (look: () => boolean) => {
    for (const end = clock.now() + PATIENCE_MS; !look(); await clock.sleep(POLL_MS)) if (clock.now() > end) return false
    return true
  }
  await callBack(fake, runtime, soon)
  return {
    fake,
    gateway,
    outbox: runtime.use(Outbox),
    access: runtime.use(Access),
    platform,
    soon,
    status: () => gateway.status().platforms.find(({ name }) => name === fake.name),
    async until(isThere, since) {
      const seen = () => fake.deliveries().slice(since)
      await soon(() => isThere(seen()))
      return seen()
    },
    async close() {
      await gateway.stop()
      await runtime.stop()
      await rm(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** A service that calls svc gets its address, once svc listens. */
async function callBack(fake: StandInService, runtime: Runtime, soon: RehearsalSetup['soon']): Promise<void> {
  if (!fake.callback) return
  const door = () =>
    runtime
      .use(Http)
      .apps()
      .find((app) => app.name === fake.name)
  await soon(() => door() !== undefined)
  const { url } = door() ?? {}
  if (url !== undefined) fake.callback(url)
}

/** The folder of the plugin, where it is not built in, and of those that it needs: they run in this process already. */
function foreignFolders(ctx: PluginContext<undefined>, platform: string): readonly string[] {
  const plugins = ctx.use(Plugins)
  const running = plugins.list().filter(({ origin, status }) => origin !== 'built-in' && status === 'started')
  const owner = ctx.all(StandIns).owner(platform)
  const needed = new Set(running.flatMap(({ manifest }) => (manifest.name === owner ? (manifest.requires ?? []) : [])))
  const isMeant = ({ name, provides = [] }: Manifest) => name === owner || provides.some((each) => needed.has(each))
  return running.flatMap(({ manifest, dir }) => (isMeant(manifest) ? [dir] : []))
}

/** Who may write is the user's own; tokens are the stand-in's. */
function accessVariables(ctx: PluginContext<undefined>, name: string): Record<string, string> {
  const platform = ctx.all(Platforms).get(name)
  const names = Object.values(platform?.access ?? {})
  const secrets = ctx.use(Secrets)
  return Object.fromEntries(names.flatMap((each) => (secrets.get(each) ? [[each, secrets.get(each) as string]] : [])))
}
