/** Wires the provider `demo`. */
import { Clock, definePlugin } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { demoProvider } from './provider.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      Providers,
      demoProvider(() => ctx.use(Clock).now()),
    )
  },
})
