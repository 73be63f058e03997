/** Offers the platform `telegram`. */
import { Clock, definePlugin, Net, Random, Secrets } from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { Http } from 'svc/sdk/web'
import { config } from './config.ts'
import { Telegram } from './platform.ts'
import { parseTopics } from './topics.ts'

/** What a menu of Telegram holds (https://core.telegram.org/bots/api#botcommand). */
const MENU = { count: 100, nameLength: 32, descriptionLength: 256, hyphens: false }

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
      menu: () => ctx.find(Commands)?.menu('gateway', MENU) ?? [],
      log: ctx.log,
    })
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'telegram', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
    ctx.defer(() => platform.close())
  },
})
