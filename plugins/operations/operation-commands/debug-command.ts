/** `/debug`: the state of svc for a bug report; in a chat without names of folders, and as a file on request. */
import { homedir, release } from 'node:os'
import {
  type CommandContext,
  Config,
  createTranslator,
  Home,
  type PluginContext,
  Random,
  Secrets,
  type SlashCommand,
} from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { DebugBundles } from 'svc/sdk/operations'
import { Gateway, type MessageOrigin, Outbox } from 'svc/sdk/platform'
import { isOperator } from 'svc/sdk/safety'

type Context = PluginContext<undefined>

const PROBLEMS = 10

export function createDebugCommand(ctx: Context): SlashCommand {
  const t = createTranslator(ctx)
  return {
    name: 'debug',
    description: 'Show diagnostics for a bug report',
    category: 'Info',
    argsHint: '[bundle]',
    subcommands: ['bundle'],
    async run(args, at) {
      if (!isOperator(ctx, at)) return t('Only an admin may do this here: a person whom allow_admin_from names.')
      if (args !== 'bundle') return at.surface === 'cli' ? describe(ctx, at) : hidePaths(ctx, describe(ctx, at))
      if (!at.by) return t('Type in a shell: svc debug share')
      const question = t(
        'Send the bundle for a bug report to this chat? Keys and conversations are not in it; names of hosts, chats, people and folders are.',
      )
      if (!(await at.person.confirm(question))) return t('Nothing was sent.')
      const bundles = await ctx.use(Plugins).bring(DebugBundles)
      if (!bundles) return t('There is no bundle: the plugin for it is switched off.')
      return send(ctx, at.by, await bundles.create({ signal: at.signal }))
    },
  }
}

/** The outbox describes the file in words where the platform takes none. */
function send(
  ctx: Context,
  { platform, chatId, threadId }: MessageOrigin,
  { name, bytes, summary }: Awaited<ReturnType<DebugBundles['create']>>,
): undefined {
  ctx.use(Outbox).post({
    ...{ platform, chatId, key: `debug:${ctx.use(Random).hex(8)}`, text: `\`\`\`\n${summary}\n\`\`\`` },
    ...(threadId !== undefined && { threadId }),
    files: [{ name, bytes, mediaType: 'application/zip', kind: 'document' }],
  })
}

function describe(ctx: Context, { conversation, surface }: CommandContext): string {
  const plugins = ctx.use(Plugins)
  const problems = plugins.problems().slice(-PROBLEMS)
  const gateway = surface === 'gateway' ? ctx.find(Gateway)?.status() : undefined
  const home = ctx.use(Home)
  return [
    `- svc ${plugins.info(ctx.name)?.manifest.version}, Node ${process.version}, ${process.platform} ${release()} ${process.arch}`,
    ...(surface === 'cli' ? [`- SVC_HOME ${home.dir}, config ${ctx.use(Config).file}`] : []),
    `- session ${conversation.sessionId}${surface === 'cli' ? `, logs ${home.path('logs')}` : ''}`,
    ...(gateway
      ? [
          `- gateway ${gateway.state} since ${new Date(gateway.startedAt).toISOString()}, ${gateway.busy} busy, ${gateway.conversations} conversations`,
          `- inbox ${JSON.stringify(gateway.inbox)}, outbox ${JSON.stringify(gateway.outbox)}`,
          ...gateway.platforms
            .filter(({ state }) => state !== 'disabled')
            .map(({ name, state, code }) => `- ${name}: ${state}${code === undefined ? '' : ` (${code})`}`),
        ]
      : []),
    ...problems.map(({ plugin, stage, message, code }) => `- ${plugin}, ${stage}: ${message} (${code})`),
  ].join('\n')
}

/** A chat has other readers than a terminal. */
function hidePaths(ctx: Context, text: string): string {
  const { dir, root } = ctx.use(Home)
  const hidden = [dir, root].reduce((shown, path) => shown.replaceAll(path, 'SVC_HOME'), ctx.use(Secrets).mask(text))
  return hidden.replaceAll(homedir(), '~')
}
