/** A whole plugin out of the description of a platform. */
import { Http } from '../../http.ts'
import { Platforms } from '../../platforms.ts'
import { definePlugin, type Plugin } from '../../plugin.ts'
import { Clock, Net, Random } from '../../ports.ts'
import type { Schema } from '../../schema.ts'
import { Secrets } from '../../secrets.ts'
import { type StandIn, StandIns } from '../../stand-ins.ts'
import { type DescribedDeps, DescribedPlatform, type OpenConnection } from './described-platform.ts'
import type { DescribedSettings, PlatformDescription } from './description.ts'
import { openStream, type StreamPlatform } from './stream-platform.ts'
import { openWebhook, type WebhookPlatform, type WebhookSettings } from './webhook-platform.ts'

/** What a plugin of a described platform has besides its description. @since 0.2 */
export interface DescribedPluginOptions<Settings extends DescribedSettings> {
  /** Of its block, made with `platformConfigSchema` and `webhookSettings` or `addressSettings`. */
  readonly config: Schema<Settings>
  /** Starts the stand-in of the service; imports it when it is called. */
  readonly openStandIn: StandIn['open']
}

/**
 * The plugin of a platform whose service calls a webhook, and has an HTTP API. `plugin.json` requires the service `http`, has
 * `gateway` in `with`, and contributes the platform and its stand-in. A function chooses the description by the settings; one with `listen` fetches what comes in.
 * @since 0.2
 */
export function defineWebhookPlatform<Me, Settings extends WebhookSettings>(
  about:
    | WebhookPlatform<Me, Settings>
    | ((settings: Settings) => WebhookPlatform<Me, Settings> | StreamPlatform<Me, Settings>),
  options: DescribedPluginOptions<Settings>,
): Plugin<Settings> {
  return defineDescribed<Me, Settings, WebhookPlatform<Me, Settings> | StreamPlatform<Me, Settings>>(
    about,
    options,
    (described, connection, { http, log }) =>
      'listen' in described
        ? openStream(described, connection, { log })
        : openWebhook(described, connection, { http: http(), log }),
  )
}

/**
 * The plugin of a platform that fetches what comes in, by a long poll or over a socket. `plugin.json` has `gateway` in `with`, and
 * contributes the platform and its stand-in.
 * @since 0.2
 */
export function defineStreamPlatform<Me, Settings extends DescribedSettings>(
  about: StreamPlatform<Me, Settings> | ((settings: Settings) => StreamPlatform<Me, Settings>),
  options: DescribedPluginOptions<Settings>,
): Plugin<Settings> {
  return defineDescribed(about, options, (described, connection, { log }) => openStream(described, connection, { log }))
}

function defineDescribed<Me, Settings extends DescribedSettings, About extends PlatformDescription<Me, Settings>>(
  description: About | ((settings: Settings) => About),
  { config, openStandIn }: DescribedPluginOptions<Settings>,
  openIntake: (
    about: About,
    connection: OpenConnection<Me, Settings>,
    deps: DescribedDeps<Settings>,
  ) => Promise<() => Promise<void>>,
): Plugin<Settings> {
  return definePlugin<Settings>({
    config,
    setup(ctx) {
      const deps: DescribedDeps<Settings> = {
        settings: ctx.config,
        log: ctx.log,
        net: () => ctx.use(Net),
        http: () => ctx.use(Http),
        clock: () => ctx.use(Clock),
        random: () => ctx.use(Random),
        secrets: () => ctx.use(Secrets),
      }
      const about = typeof description === 'function' ? description(ctx.config) : description
      const platform = new DescribedPlatform(about, deps, (connection) => openIntake(about, connection, deps))
      ctx.add(Platforms, platform)
      ctx.add(StandIns, { name: about.name, open: openStandIn })
      ctx.defer(() => platform.close())
    },
  })
}
