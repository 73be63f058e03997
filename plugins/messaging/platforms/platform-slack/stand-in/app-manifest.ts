/** What Slack refuses of the manifest of an app (docs.slack.dev/reference/app-manifest, .../methods/apps.manifest.validate). */
import { z } from 'zod'

/** Slack's own commands, as far as they are tried here: an app cannot have them. */
export const BUILT_IN_COMMANDS = ['/help', '/status', '/topic', '/remind', '/invite', '/who', '/search']

const address = z.url({ protocol: /^https$/ }).max(3000)
const command = z.strictObject({
  command: z.string().regex(/^\/[a-z0-9_-]{1,31}$/),
  description: z.string().min(1).max(2000),
  usage_hint: z.string().min(1).max(1000).optional(),
  should_escape: z.boolean().optional(),
  url: address.optional(),
})
const view = (description: string) => z.strictObject({ [description]: z.string().min(1).max(300) }).optional()

const manifest = z.strictObject({
  display_information: z.strictObject({ name: z.string().min(1).max(35), description: z.string().max(140) }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    bot_user: z.strictObject({ display_name: z.string().min(1).max(80), always_online: z.boolean() }),
    assistant_view: view('assistant_description'),
    agent_view: view('agent_description'),
    slash_commands: z.array(command).max(50),
  }),
  oauth_config: z.strictObject({ scopes: z.strictObject({ bot: z.array(z.string()).max(255) }) }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({ request_url: address.optional(), bot_events: z.array(z.string()).max(100) }),
    interactivity: z.strictObject({ is_enabled: z.boolean(), request_url: address.optional() }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
})
type Manifest = z.infer<typeof manifest>

/** Scopes without which Slack sends an event, or gives a view, to no app (.../reference/events, .../reference/scopes). */
const NEEDED: Readonly<Record<string, string>> = {
  app_mention: 'app_mentions:read',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  assistant_thread_started: 'assistant:write',
  assistant_thread_context_changed: 'assistant:write',
}

/** What is wrong with it; empty when the app can be made. */
export function listManifestErrors(given: unknown): readonly string[] {
  const read = manifest.safeParse(given)
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return [...wrongCommands(read.data), ...wrongScopes(read.data), ...wrongAddresses(read.data)]
}

function wrongCommands({ features }: Manifest): readonly string[] {
  const names = features.slash_commands.map((each) => each.command)
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  const own = names.filter((name) => BUILT_IN_COMMANDS.includes(name))
  return [...twice.map((name) => `${name} is there twice`), ...own.map((name) => `${name} is a command of Slack`)]
}

function wrongScopes({ features, settings, oauth_config }: Manifest): readonly string[] {
  const { bot } = oauth_config.scopes
  const hasView = features.assistant_view !== undefined || features.agent_view !== undefined
  const wanted = [
    ...settings.event_subscriptions.bot_events.flatMap((event) => NEEDED[event] ?? []),
    ...(features.slash_commands.length > 0 ? ['commands'] : []),
    ...(hasView ? ['assistant:write'] : []),
  ]
  const both = features.assistant_view && features.agent_view ? ['an app has one view'] : []
  return [...both, ...wanted.filter((scope) => !bot.includes(scope)).map((scope) => `the scope ${scope} is missing`)]
}

/** Without a socket each of them has an address, and with one none is called. */
function wrongAddresses({ features, settings }: Manifest): readonly string[] {
  const all = [
    settings.event_subscriptions.request_url,
    settings.interactivity.request_url,
    ...features.slash_commands.map(({ url }) => url),
  ]
  if (settings.socket_mode_enabled) return all.some(Boolean) ? ['an address is not called in socket mode'] : []
  return all.every(Boolean) ? [] : ['an address is missing']
}
