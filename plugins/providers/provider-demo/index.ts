/** Wires the provider `demo`. */
import { Clock, definePlugin, Providers } from 'svc/sdk'
import { demoProvider } from './provider.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      Providers,
      demoProvider(() => ctx.use(Clock).now()),
    )
  },
})
