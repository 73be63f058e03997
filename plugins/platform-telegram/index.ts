/** Offers the platform `telegram`. */
import { Clock, Commands, definePlugin, Net, Platforms, Random, Secrets } from 'svc/sdk'
import { config } from './config.ts'
import { Telegram } from './platform.ts'

/** What a menu of Telegram holds (https://core.telegram.org/bots/api#botcommand). */
const MENU = { count: 100, nameLength: 32, descriptionLength: 256, hyphens: false }

export default definePlugin({
  config,
  setup(ctx) {
    const platform = new Telegram({
      settings: ctx.config,
      account: () => ({
        baseUrl: ctx.config.base_url.trim().replace(/\/+$/, ''),
        token: ctx.use(Secrets).get('TELEGRAM_BOT_TOKEN')?.trim() ?? '',
      }),
      net: { request: (request) => ctx.use(Net).request(request) },
      random: { hex: (bytes) => ctx.use(Random).hex(bytes) },
      clock: {
        sleep: (ms, signal) => ctx.use(Clock).sleep(ms, signal),
        monotonic: () => ctx.use(Clock).monotonic(),
      },
      menu: () => ctx.find(Commands)?.menu('gateway', MENU) ?? [],
      warn: (message) => ctx.log.warn(message),
    })
    ctx.add(Platforms, platform)
    ctx.defer(() => platform.close())
  },
})
