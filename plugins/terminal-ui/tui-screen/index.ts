import { Clock, definePlugin, type PluginContext, Secrets } from 'svc/sdk'
import { TerminalScreens, TextLayout } from 'svc/sdk/terminal'
import type { OpenScreens } from './screens.ts'

export default definePlugin({
  setup(ctx) {
    // A terminal stays a screen whatever is reloaded.
    const screens = ctx.keep('screens', createScreensService, (open) => open.closeAll())
    ctx.provide(TerminalScreens, () => screens)
  },
})

function createScreensService(ctx: PluginContext<undefined>): Pick<OpenScreens, 'open' | 'closeAll'> {
  let screens: Promise<OpenScreens> | undefined
  const load = async () => {
    const { OpenScreens } = await import('./screens.ts')
    const secrets = ctx.use(Secrets)
    return new OpenScreens({
      names: () => ({
        term: secrets.get('TERM'),
        colorterm: secrets.get('COLORTERM'),
        noColor: secrets.get('NO_COLOR'),
        program: secrets.get('TERM_PROGRAM'),
      }),
      layout: () => ctx.use(TextLayout),
      clock: () => ctx.use(Clock),
      log: ctx.log,
      path: () => secrets.get('PATH') ?? '',
    })
  }
  return {
    async open(options) {
      screens ??= load()
      return (await screens).open(options)
    },
    closeAll: async () => (await screens)?.closeAll(),
  }
}
