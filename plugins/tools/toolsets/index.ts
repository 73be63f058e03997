/** Wires the switches of toolsets into every turn. */
import { BeforeToolCall, createTranslator, definePlugin, SelectTools, SlashCommands, Tools } from 'svc/sdk'
import { ConfigFile, Toolsets } from 'svc/sdk/host'
import { Platforms } from 'svc/sdk/platform'
import { toolsSlashCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import { keepOn } from './rules.ts'
import { ToolSwitches } from './switches.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const tools = ctx.all(Tools)
    const platforms = ctx.all(Platforms)
    const switches = new ToolSwitches(
      ctx.config,
      () => tools.all(),
      (surface) => (platforms.get(surface)?.isEvents ? 'machines' : 'people'),
    )
    ctx.provide(Toolsets, () => switches)
    ctx.on(SelectTools, (offer, { surface }) => keepOn(offer, (name) => tools.get(name), switches.judge(surface)))
    // A tool that is off is not offered, and a call of it is denied: this gate holds when the offer could not be made.
    ctx.on(BeforeToolCall, ({ tool, turn }) => {
      const reason = switches.offReason(tool, turn.surface)
      if (reason === undefined) return undefined
      return { allow: false, code: 'tool-off', reason: `${tool.name} is off here: ${reason}` }
    })
    ctx.add(
      SlashCommands,
      toolsSlashCommand(switches, () => ctx.find(ConfigFile), createTranslator(ctx)),
    )
  },
})
