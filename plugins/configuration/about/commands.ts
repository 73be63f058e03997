/** `/plugins`, `/reload`, `/platforms`, `/profile` and `/version`. */
import {
  createTranslator,
  errorMessage,
  Home,
  logFault,
  type PluginContext,
  type SlashCommand,
  type Translate,
} from 'svc/sdk'
import { Control, Plugins } from 'svc/sdk/host'
import { isOperator } from 'svc/sdk/safety'

export function aboutCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const t = createTranslator(ctx)
  return [
    reloadCommand(ctx, t),
    platformsCommand(ctx, t),
    {
      name: 'version',
      description: 'Show the version of svc and Node',
      category: 'Info',
      // The plugins that come with svc have its version.
      run: async () => `svc ${ctx.use(Plugins).info(ctx.name)?.manifest.version}, Node ${process.version}`,
    },
    {
      name: 'plugins',
      description: 'Show which plugins run, and why others do not',
      category: 'Info',
      surfaces: ['cli'],
      async run() {
        const all = ctx.use(Plugins).list()
        const running = all.filter(({ status }) => status === 'started' || status === 'suspended')
        const wrong = all.filter(({ status }) => status === 'failed' || status === 'suspended')
        const names = running.map(({ manifest }) => manifest.name).join(', ')
        const lines = wrong.map(({ manifest, reason = '' }) => `- **${manifest.name}**: ${reason}`)
        return [
          `${t('{count} plugins run', { count: running.length })}: ${names}.`,
          ...lines,
          t('More: svc plugins'),
        ].join('\n\n')
      },
    },
    {
      name: 'profile',
      description: 'Show the profile and its folder',
      category: 'Info',
      async run(_args, { surface, conversation }) {
        const { profile = 'default', dir } = ctx.use(Home)
        const folder = surface === 'cli' ? `, ${dir}` : ''
        return `${t('Profile')}: ${profile}${folder}\n${t('Here')}: ${conversation.front.surface}`
      },
    },
  ]
}

/** Settings and `.env` need none: every save is seen at once. */
function reloadCommand(ctx: PluginContext<undefined>, t: Translate): SlashCommand {
  const names = () =>
    ctx
      .use(Plugins)
      .list()
      .flatMap(({ manifest, status }) => (status === 'started' || status === 'suspended' ? [manifest.name] : []))
  return {
    name: 'reload',
    description: 'Reload a plugin',
    category: 'Tools & Skills',
    argsHint: '<plugin>',
    async run(name, at) {
      if (!isOperator(ctx, at)) return t('Only an admin may do this here: a person whom allow_admin_from names.')
      if (!name) return t('Name a plugin: /reload <plugin>. /plugins lists them.')
      try {
        await ctx.use(Plugins).reload(name)
        return t('{name} was reloaded.', { name })
      } catch (error) {
        logFault(ctx.log, `the reload of ${name} failed`, error, name)
        return t('{name} was not reloaded: {reason}', { name, reason: errorMessage(error) })
      }
    },
    complete: async (args, at) =>
      (isOperator(ctx, at) ? names() : []).filter((name) => name.startsWith(args)).map((text) => ({ text, from: 0 })),
  }
}

interface Reported {
  readonly platforms?: readonly { readonly name: string; readonly state: string; readonly reason?: string }[]
}

/** The gateway of this home is asked, wherever it runs. */
function platformsCommand(ctx: PluginContext<undefined>, t: Translate): SlashCommand {
  return {
    name: 'platforms',
    description: 'Show the chat platforms and their connections',
    category: 'Info',
    async run() {
      const answers = (await ctx.find(Control)?.ask('gateway.status', {}, { timeoutMs: 2000 })) ?? []
      const report = answers.find(({ command, error }) => command === 'gateway' && !error)?.result as
        | Reported
        | undefined
      if (report?.platforms)
        return report.platforms
          .map(({ name, state, reason }) => `- **${name}**: ${state}${reason ? `. ${reason}` : ''}`)
          .join('\n')
      const known = ctx
        .use(Plugins)
        .list()
        .flatMap(({ manifest }) => manifest.contributes?.['platforms'] ?? [])
      return t('The gateway is not running; `svc gateway start` starts it. Platforms: {names}.', {
        names: [...known].sort().join(', '),
      })
    },
  }
}
