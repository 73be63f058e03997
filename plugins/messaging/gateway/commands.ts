/** Slash commands of the gateway, and how a message names one. */
import { createTranslator, type PluginContext, type SlashCommand, type Translate } from 'svc/sdk'
import { type Commands, ConfigFile, type ParsedSlashCommand } from 'svc/sdk/host'
import { type InboundMessage, Outbox, type Platform, type PlatformStatus, Platforms } from 'svc/sdk/platform'
import type { Config } from './config.ts'
import type { MessageGateway } from './gateway.ts'
import { inDoubt } from './uncertain-deliveries.ts'

/** A message of a chat that names a command. */
export interface CommandLine {
  /** With a slash, whatever the platform begins commands with. */
  readonly text: string
  /** Undefined if no command has this name. */
  readonly command: ParsedSlashCommand | undefined
  readonly isImmediate: boolean
  readonly isDestructive: boolean
}

/** Undefined when the message names no command. */
export function parseLine(
  commands: Commands,
  { text, press }: InboundMessage,
  { limits, isEvents }: Pick<Platform, 'limits' | 'isEvents'>,
): CommandLine | undefined {
  if (press !== undefined || isEvents) return undefined
  const prefix = limits.commandPrefix ?? '/'
  const line = text.startsWith(prefix) ? `/${text.slice(prefix.length)}` : text
  if (!/^\/\w/.test(line)) return undefined
  const parsed = commands.parse(line, 'gateway')
  if (!parsed) return undefined
  const command = 'command' in parsed ? parsed : undefined
  const { isImmediate, destructive } = command?.command ?? {}
  return { text: line, command, isImmediate: isImmediate === true, isDestructive: destructive === true }
}

export function gatewayCommands(ctx: PluginContext<Config>, gateway: MessageGateway): SlashCommand[] {
  const t = createTranslator(ctx)
  return [startCommand(t), resendCommand(ctx, t), platformCommand(gateway, t), homeCommand(ctx, t)]
}

/** What clients of platforms send when a person opens a chat, with the payload of the link that led there. */
function startCommand(t: Translate): SlashCommand {
  return {
    name: 'start',
    description: 'Show a greeting and what to do next',
    category: 'Info',
    surfaces: ['gateway'],
    run: async () =>
      t('Hello. Tell me what you need. /help lists the commands, /new starts a new conversation, /stop stops me.'),
  }
}

function resendCommand(ctx: PluginContext<Config>, t: Translate): SlashCommand {
  return {
    name: 'resend',
    description: 'Resend messages that may not have arrived',
    category: 'Session',
    surfaces: ['gateway'],
    async run(_args, { by }) {
      const outbox = ctx.use(Outbox)
      const left = by ? inDoubt(outbox, by, ['uncertain', 'failed']) : []
      // The oldest first, as they were to be read.
      const again = [...left].reverse().filter(({ id }) => outbox.retry(id))
      return again.length > 0 ? undefined : t('Nothing to resend.')
    },
  }
}

function platformCommand(gateway: MessageGateway, t: Translate): SlashCommand {
  return {
    name: 'platform',
    description: 'Show the chat platforms; pause one, or connect it again',
    category: 'Info',
    argsHint: '[list | pause <name> | resume <name>]',
    subcommands: ['list', 'pause', 'resume'],
    surfaces: ['gateway'],
    async run(args) {
      const [verb = 'list', name = ''] = args.split(/\s+/).filter(Boolean)
      if (verb === 'pause' || verb === 'resume') {
        await gateway[verb](name)
        return verb === 'pause' ? t('{name} is paused.', { name }) : t('{name} is connected again.', { name })
      }
      return gateway.status().platforms.map(line).join('\n') || t('There is no platform.')
    },
    complete: async (args) => {
      const [, verb, start] = /^(pause|resume)\s+(\S*)$/.exec(args) ?? []
      if (verb === undefined || start === undefined) return []
      const names = gateway.status().platforms.map(({ name }) => name)
      return names
        .filter((name) => name.startsWith(start))
        .map((name) => ({ text: name, from: args.length - start.length }))
    },
  }
}

function line({ name, state, reason, attempts, retryAt, contact }: PlatformStatus): string {
  const again = retryAt === undefined ? '' : `, ${new Date(retryAt).toISOString().slice(11, 19)} UTC (${attempts})`
  const said = reason === undefined ? '' : `. ${reason}`
  return `- **${name}**: ${state}${again}${said}${contact === undefined ? '' : ` ${contact}`}`
}

function homeCommand(ctx: PluginContext<Config>, t: Translate): SlashCommand {
  return {
    name: 'sethome',
    description: 'Make this chat the default for messages that name only the platform',
    category: 'Configuration',
    surfaces: ['gateway'],
    async run(_args, { by }) {
      const platform = by && ctx.all(Platforms).get(by.platform)
      const file = ctx.find(ConfigFile)
      if (!by || !platform || !file) return t('This cannot be done here.')
      const value = by.chatId
      const edit = { path: `platforms.${platform.name}.home_channel`, value }
      await file.write([edit], { author: 'gateway', reason: '/sethome' })
      return t('Messages for {name} come here from now on.', { name: platform.label })
    },
  }
}
