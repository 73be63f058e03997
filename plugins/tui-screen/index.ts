import { Clock, definePlugin, Secrets, type TerminalScreen, TerminalScreens, TextLayout } from 'svc/sdk'
import type { OpenScreens } from './screens.ts'

export default definePlugin({
  setup(ctx) {
    let screens: Promise<OpenScreens> | undefined
    const load = async () => {
      const { OpenScreens } = await import('./screens.ts')
      const secrets = ctx.use(Secrets)
      return new OpenScreens({
        names: () => ({
          term: secrets.get('TERM'),
          colorterm: secrets.get('COLORTERM'),
          noColor: secrets.get('NO_COLOR'),
        }),
        layout: () => ctx.use(TextLayout),
        clock: () => ctx.use(Clock),
        log: ctx.log,
      })
    }
    ctx.provide(TerminalScreens, () => ({
      async open(options): Promise<TerminalScreen> {
        screens ??= load()
        return (await screens).open(options)
      },
    }))
    ctx.defer(async () => (await screens)?.closeAll())
  },
})
