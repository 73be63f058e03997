/** A whole plugin out of the description of a webhook platform. */
import { Http } from '../../http.ts'
import { Platforms } from '../../platforms.ts'
import { definePlugin, type Plugin } from '../../plugin.ts'
import { Clock, Net } from '../../ports.ts'
import type { Schema } from '../../schema.ts'
import { Secrets } from '../../secrets.ts'
import { type StandIn, StandIns } from '../../stand-ins.ts'
import { DescribedPlatform, type WebhookPlatform, type WebhookSettings } from './webhook-platform.ts'

/** What a plugin of a webhook platform has besides its description. @since 0.2 */
export interface WebhookPluginOptions<Settings extends WebhookSettings> {
  /** Of its block, made with `platformConfigSchema`; has `base_url`, `webhook_host` and `webhook_port`. */
  readonly config: Schema<Settings>
  /** Starts the stand-in of the service; imports it when it is called. */
  readonly openStandIn: StandIn['open']
}

/**
 * The plugin of a platform whose service calls a webhook, and has an HTTP API. `plugin.json` requires the service `http`, has
 * `gateway` in `with`, and contributes the platform and its stand-in.
 * @since 0.2
 */
export function defineWebhookPlatform<Me, Settings extends WebhookSettings>(
  about: WebhookPlatform<Me, Settings>,
  { config, openStandIn }: WebhookPluginOptions<Settings>,
): Plugin<Settings> {
  return definePlugin<Settings>({
    config,
    setup(ctx) {
      const platform = new DescribedPlatform(about, {
        settings: ctx.config,
        log: ctx.log,
        net: () => ctx.use(Net),
        http: () => ctx.use(Http),
        clock: () => ctx.use(Clock),
        secrets: () => ctx.use(Secrets),
      })
      ctx.add(Platforms, platform)
      ctx.add(StandIns, { name: about.name, open: openStandIn })
      ctx.defer(() => platform.close())
    },
  })
}
