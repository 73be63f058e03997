/** `/tools`: shows the toolsets of the terminal, and switches them for the conversation under way and all later ones. */
import { errorMessage, type SlashCommand, SvcError, type Translate } from 'svc/sdk'
import type { ConfigFile, ToolsetStatus, ToolToggle } from 'svc/sdk/host'
import { type Config, config } from './config.ts'
import type { ToolSwitches } from './switches.ts'

const SURFACE = 'cli'

/** Makes the command. */
export function toolsSlashCommand(
  switches: ToolSwitches,
  file: () => ConfigFile | undefined,
  t: Translate,
): SlashCommand {
  return {
    name: 'tools',
    aliases: ['toolsets'],
    description: 'Show toolsets, and enable or disable them',
    category: 'Tools & Skills',
    argsHint: '[list|enable|disable] [names]',
    surfaces: [SURFACE],
    run: async (args) => {
      const [verb = 'list', ...names] = args.split(/[\s,]+/).filter((word) => word !== '')
      if (verb === 'list') return listText(switches.list(SURFACE), t)
      if ((verb !== 'enable' && verb !== 'disable') || names.length === 0) return usage(t)
      return change(switches, names, verb === 'enable' ? 'on' : 'off', file(), t)
    },
  }
}

const usage = (t: Translate) => t('Type /tools enable <names> or /tools disable <names>.')

/** Toolsets that are on, then the others, with what stands against them. */
function listText(toolsets: readonly ToolsetStatus[], t: Translate): string {
  const part = (title: string, isOn: boolean) => {
    const lines = toolsets.filter(({ on }) => on === isOn).map((toolset) => formatToolset(toolset, t))
    return lines.length > 0 ? [`**${title}**`, lines.join('\n')] : []
  }
  return [...part(t('On'), true), ...part(t('Off'), false), usage(t)].join('\n\n')
}

function formatToolset({ name, on, because, tools }: ToolsetStatus, t: Translate): string {
  const names = tools.map((tool) => (on && !tool.on ? t('{name} (off)', { name: code(tool.name) }) : code(tool.name)))
  return `- **${name}**: ${names.join(', ')}${because === undefined ? '' : ` · ${because}`}`
}

async function change(
  switches: ToolSwitches,
  names: readonly string[],
  to: ToolToggle['to'],
  file: ConfigFile | undefined,
  t: Translate,
): Promise<string> {
  try {
    if (!file) throw new SvcError('TOOLSETS_NO_WRITER', 'Nothing here can write config.yaml.')
    // Another process may have switched tools since this one began.
    switches.adopt(await readWritten(file))
    const edits = switches.edits(names.map((name) => ({ name, to })))
    if (edits.length === 0) return t('Nothing was changed.')
    await file.write(edits, { author: 'toolsets', reason: '/tools' })
    switches.adopt(await readWritten(file))
    const values = { names: names.map(code).join(', '), undo: code('svc config undo') }
    return to === 'on'
      ? t('On from your next message: {names}. {undo} takes it back.', values)
      : t('Off from your next message: {names}. {undo} takes it back.', values)
  } catch (error) {
    return t('Not changed: {reason}', { reason: errorMessage(error) })
  }
}

/** As Markdown code, for any typed text. */
function code(text: string): string {
  return `\`${text.replace(/[`\p{Cc}]/gu, '')}\``
}

async function readWritten(file: ConfigFile): Promise<Config> {
  const { value } = await file.read('tools')
  return config.parse(value ?? {})
}
