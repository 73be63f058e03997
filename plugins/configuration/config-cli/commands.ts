/** `/config`: a setting, shown or changed without leaving the conversation. */
import { createTranslator, type PluginContext, type SlashCommand, SvcError, type Translate } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'

const LISTED = 12

export function configSlashCommand(ctx: PluginContext<undefined>): SlashCommand {
  const t = createTranslator(ctx)
  return {
    name: 'config',
    description: 'Show or change a setting',
    category: 'Configuration',
    argsHint: '[key] [value]',
    surfaces: ['cli'],
    async run(args) {
      const [, path = '', value = ''] = /^(\S*)(?:\s+([\s\S]*))?$/.exec(args) ?? []
      if (!path) return formatChanged(ctx, t)
      return value ? set(ctx, path, value, t) : show(ctx, path, t)
    },
    async complete(args) {
      if (/\s/.test(args)) return []
      const keys = await ctx.use(ConfigFile).keys()
      return keys
        .filter(({ path, secret }) => !secret && path.startsWith(args) && path !== args)
        .map(({ path, description }) => ({ text: path, from: 0, ...(description && { detail: description }) }))
    },
  }
}

/** What differs from the defaults. */
async function formatChanged(ctx: PluginContext<undefined>, t: Translate): Promise<string> {
  const file = ctx.use(ConfigFile)
  const keys = await file.keys()
  const own = keys.filter(({ value }) => value !== undefined && (typeof value !== 'object' || Array.isArray(value)))
  const lines = own.map(({ path, value }) => `- \`${path}\`: ${JSON.stringify(value)}`)
  return lines.join('\n') || t('Everything is at its default. Type /config <key> to see one setting.')
}

async function show(ctx: PluginContext<undefined>, path: string, t: Translate): Promise<string> {
  const file = ctx.use(ConfigFile)
  const { value, default: fallback, description, unknown } = await file.read(path)
  if (unknown) {
    const near = (await file.keys()).filter((key) => key.path.includes(path)).slice(0, LISTED)
    const list = near.map((key) => `\`${key.path}\``).join(', ')
    return t('Nothing is called {path}. {list}', { path, list: unknown.nearest ? `\`${unknown.nearest}\`?` : list })
  }
  const now =
    value === undefined ? t('{value} (default)', { value: JSON.stringify(fallback) ?? '-' }) : JSON.stringify(value)
  return `\`${path}\`: ${now}${description ? `\n\n${description}` : ''}`
}

async function set(ctx: PluginContext<undefined>, path: string, value: string, t: Translate): Promise<string> {
  const file = ctx.use(ConfigFile)
  const { secret } = await file.read(path)
  if (secret)
    throw new SvcError(
      'CONFIG_SECRET',
      `${path} is a secret and would stay in the conversation. Type it into: svc config set ${path}`,
    )
  const change = await file.write([{ path, value, typed: true }], { author: 'config-cli', reason: '/config' })
  return change ? t('{path} is {value} now. Take it back with svc config undo.', { path, value }) : t('No change.')
}
