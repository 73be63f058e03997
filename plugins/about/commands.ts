/** `/plugins`, `/profile` and `/debug`. */
import { release } from 'node:os'
import { Config, Home, type PluginContext, Plugins, type SlashCommand, translator } from 'svc/sdk'

const PROBLEMS = 10

export function aboutCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const t = translator(ctx)
  return [
    {
      name: 'plugins',
      description: 'Show the plugins that run, and why others do not',
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
    {
      name: 'debug',
      description: 'Show what a report of a fault needs',
      category: 'Info',
      surfaces: ['cli'],
      async run(_args, { conversation }) {
        const problems = ctx.use(Plugins).problems().slice(-PROBLEMS)
        return [
          `- Node ${process.version}, ${process.platform} ${release()} ${process.arch}`,
          `- SVC_HOME ${ctx.use(Home).dir}, config ${ctx.use(Config).file}`,
          `- session ${conversation.sessionId}, logs ${ctx.use(Home).path('logs')}`,
          ...problems.map(({ plugin, stage, message, code }) => `- ${plugin}, ${stage}: ${message} (${code})`),
        ].join('\n')
      },
    },
  ]
}
