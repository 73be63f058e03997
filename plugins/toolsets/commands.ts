/** `/tools`: shows the toolsets of the terminal, and switches them for the conversation under way and all later ones. */
import { type ConfigFile, errorMessage, type SlashCommand, SvcError, type ToolSwitch } from 'svc/sdk'
import { type Config, config } from './config.ts'
import type { ToolSwitches } from './switches.ts'

const USAGE = 'Type /tools, /tools enable <name...> or /tools disable <name...>.'
const SURFACE = 'cli'

/** Makes the command. */
export function toolsSlashCommand(switches: ToolSwitches, file: () => ConfigFile | undefined): SlashCommand {
  return {
    name: 'tools',
    description: 'Show toolsets, and switch them on and off',
    category: 'Tools',
    argsHint: '[list|enable|disable] [names]',
    surfaces: [SURFACE],
    run: async (args) => {
      const [verb = 'list', ...names] = args.split(/[\s,]+/).filter((word) => word !== '')
      if (verb === 'list') return listText(switches)
      if ((verb !== 'enable' && verb !== 'disable') || names.length === 0) return USAGE
      return change(
        switches,
        names.map((name) => ({ name, to: verb === 'enable' ? 'on' : 'off' })),
        file(),
      )
    },
  }
}

function listText(switches: ToolSwitches): string {
  const lines = switches.list(SURFACE).map(({ name, on, because, tools }) => {
    const names = tools.map((tool) => (on && !tool.on ? `${tool.name} (off)` : tool.name)).join(', ')
    return `${on ? '+' : '-'} ${name}: ${names}${because === undefined ? '' : `  [${because}]`}`
  })
  return [...lines, USAGE].join('\n')
}

async function change(
  switches: ToolSwitches,
  wanted: readonly ToolSwitch[],
  file: ConfigFile | undefined,
): Promise<string> {
  try {
    if (!file) throw new SvcError('TOOLSETS_NO_WRITER', 'Nothing here can write config.yaml.')
    // Another process may have switched tools since this one began.
    switches.adopt(await written(file))
    const edits = switches.edits(wanted)
    if (edits.length === 0) return 'It was so before.'
    await file.write(edits, { author: 'toolsets', reason: '/tools' })
    switches.adopt(await written(file))
    const said = wanted.map(({ name, to }) => `${name}: ${to}`).join(', ')
    return `${said}, from your next message on. Take it back with \`svc config undo\`.`
  } catch (error) {
    return `Not changed: ${errorMessage(error)}`
  }
}

async function written(file: ConfigFile): Promise<Config> {
  const { value } = await file.read('tools')
  return config.parse(value ?? {})
}
