/** Wires the settings of what people see, and the slash commands that change them. */
import { createTranslator, definePlugin, errorCode, errorMessage, Home, SlashCommands } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { ConfigFile, Plugins } from 'svc/sdk/host'
import { Display, Themes } from 'svc/sdk/terminal'
import { displayCommands } from './commands.ts'
import { type Config, config } from './config.ts'
import { ShownDisplay } from './display.ts'
import { themeRoutes } from './routes.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const report = (problem: Error) => {
      const [message, code] = [errorMessage(problem), errorCode(problem)]
      ctx.use(Plugins).report({ plugin: ctx.name, stage: 'display', message, code })
    }
    // The generation before is still there: what was set for this process and who listens pass on to this one.
    const before = ctx.find(Display)
    const display = new ShownDisplay(
      ctx.config,
      {
        skinFolder: ctx.use(Home).path('skins'),
        file: () => ctx.use(Plugins).bring(ConfigFile),
        report,
        themes: () => ctx.all(Themes).all(),
      },
      before instanceof ShownDisplay ? before : undefined,
    )
    ctx.provide(Display, () => display)
    ctx.onStart(() => display.adopt(ctx.config))
    ctx.defer(ctx.all(Themes).onChange(() => void display.followThemes()))
    for (const route of themeRoutes(display)) ctx.add(DashboardRoutes, route)
    for (const command of displayCommands(ctx, display, createTranslator(ctx))) ctx.add(SlashCommands, command)
  },
})
