/** Wires the guard of web addresses. */
import { Clock, definePlugin, Home, Net, Secrets } from 'svc/sdk'
import { SafeFetch } from 'svc/sdk/web'
import { Blocklist } from './blocklist.ts'
import { config } from './config.ts'
import { AddressGuard } from './guard.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const { allow_private_urls: allowPrivate, website_blocklist: list } = ctx.config
    ctx.provide(SafeFetch, () => {
      const blocklist = new Blocklist(list, { clock: ctx.use(Clock), home: ctx.use(Home).dir })
      const mask = (text: string) => ctx.use(Secrets).mask(text)
      return new AddressGuard({ net: () => ctx.use(Net), blocklist, rule: { allowPrivate, mask } })
    })
  },
})
