/** Offers the platform `telegram`. */
import { Clock, definePlugin, Net, Random, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { Http } from 'svc/sdk/web'
import { config } from './config.ts'
import { Telegram } from './platform.ts'
import { parseTopics } from './topics.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const secret = (name: string) => ctx.use(Secrets).get(name)?.trim()
    const platform = new Telegram({
      settings: ctx.config,
      account: () => ({
        baseUrl: ctx.config.base_url.trim().replace(/\/+$/, ''),
        token: secret('TELEGRAM_BOT_TOKEN') ?? '',
      }),
      localFolder: ctx.config.local_mode ? ctx.config.local_dir : undefined,
      editMinutes: ctx.config.edit_minutes,
      style: { previews: ctx.config.link_previews, silent: ctx.config.silent },
      topics: () => ({
        allowed: parseTopics(secret('TELEGRAM_ALLOWED_TOPICS'), ctx.config.allowed_topics),
        ignored: parseTopics(secret('TELEGRAM_IGNORED_THREADS'), ctx.config.ignored_threads),
      }),
      door: () => ({
        url: secret('TELEGRAM_WEBHOOK_URL') || ctx.config.webhook_url,
        secret: secret('TELEGRAM_WEBHOOK_SECRET') ?? '',
        host: ctx.config.webhook_host,
        port: Number(secret('TELEGRAM_WEBHOOK_PORT') || ctx.config.webhook_port),
      }),
      http: () => ctx.use(Http),
      net: { request: (request) => ctx.use(Net).request(request) },
      random: { hex: (bytes) => ctx.use(Random).hex(bytes) },
      clock: {
        sleep: (ms, signal) => ctx.use(Clock).sleep(ms, signal),
        monotonic: () => ctx.use(Clock).monotonic(),
      },
      log: ctx.log,
    })
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'telegram', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
    ctx.defer(() => platform.close())
  },
})
