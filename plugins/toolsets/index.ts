/** Wires the switches of toolsets into every turn. */
import { ConfigFile, definePlugin, SlashCommands, Tools, Toolsets, ToolsOffering } from 'svc/sdk'
import { toolsSlashCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import { keepOn } from './rules.ts'
import { ToolSwitches } from './switches.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const tools = ctx.all(Tools)
    const switches = new ToolSwitches(ctx.config, () => tools.all())
    ctx.provide(Toolsets, () => switches)
    ctx.on(ToolsOffering, (offer, { surface }) => keepOn(offer, (name) => tools.get(name), surface, switches.config))
    ctx.add(
      SlashCommands,
      toolsSlashCommand(switches, () => ctx.find(ConfigFile)),
    )
  },
})
