/** The manifest from which Slack makes the app (docs.slack.dev/reference/app-manifest). */
import type { CommandMenuEntry, CommandMenuLimits } from 'svc/sdk/host'
import { GENERIC, toSlackName } from './slash-commands.ts'

/** Slack takes 50 commands of up to 32 characters, the slash and what is put before a name included; one is the generic one. */
export const MENU_LIMITS: CommandMenuLimits = { count: 49, nameLength: 27, descriptionLength: 200, hyphens: true }

/** Which of Slack's views for assistants the app has. */
export type AssistantView = 'assistant' | 'agent' | 'none'

export interface AppOptions {
  /** Of the app, at most 35 characters. */
  readonly name: string
  readonly view: AssistantView
  /** The public address of events; undefined: they come over a socket. */
  readonly requestUrl: string | undefined
  readonly commands: readonly CommandMenuEntry[]
}

const SCOPES = [
  ...(['app_mentions:read', 'channels:history', 'chat:write', 'commands', 'files:read', 'files:write'] as const),
  ...(['groups:history', 'im:history', 'mpim:history', 'reactions:write', 'users:read'] as const),
] as const
const EVENTS = ['app_mention', 'message.channels', 'message.groups', 'message.im', 'message.mpim'] as const
const VIEW_EVENTS = {
  assistant: ['assistant_thread_started', 'assistant_thread_context_changed'],
  agent: ['app_home_opened', 'app_context_changed'],
  none: [],
} as const
const DESCRIPTION = 'An AI agent that works with tools, files and the web.'

export function createManifest({ name, view, requestUrl, commands }: AppOptions) {
  const url = requestUrl === undefined ? {} : { url: requestUrl }
  const request = requestUrl === undefined ? {} : { request_url: requestUrl }
  const generic = { name: GENERIC, description: 'Run any command of svc', subcommands: ['<command> [arguments]'] }
  return {
    display_information: { name, description: DESCRIPTION },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name, always_online: true },
      ...(view === 'assistant' && { assistant_view: { assistant_description: DESCRIPTION } }),
      ...(view === 'agent' && { agent_view: { agent_description: DESCRIPTION } }),
      slash_commands: [generic, ...commands].map((each) => ({ ...toSlashCommand(each), ...url })),
    },
    oauth_config: { scopes: { bot: [...SCOPES, ...(view === 'none' ? [] : (['assistant:write'] as const))] } },
    settings: {
      event_subscriptions: { ...request, bot_events: [...EVENTS, ...VIEW_EVENTS[view]] },
      interactivity: { is_enabled: true, ...request },
      org_deploy_enabled: false,
      socket_mode_enabled: requestUrl === undefined,
      token_rotation_enabled: false,
    },
  }
}

function toSlashCommand({ name, description, subcommands }: CommandMenuEntry) {
  const hint = subcommands.join(' | ').slice(0, 200)
  return {
    command: `/${toSlackName(name)}`,
    description: description || name,
    ...(hint !== '' && { usage_hint: hint }),
    should_escape: false,
  }
}
