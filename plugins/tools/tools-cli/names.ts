/** The names that people type: of tools and of surfaces. */
import { Agent, type CliArguments, type PluginContext, SvcError } from 'svc/sdk'
import { Plugins, Toolsets } from 'svc/sdk/host'

/** Front ends that are no chat platforms. */
const FRONT_ENDS = ['cli', 'tui', 'dashboard', 'api', 'webhook', 'cron']

/** The surface that was typed, if one was. Throws `TOOLS_SURFACE_UNKNOWN`: a typo would protect nothing. */
export async function readSurface(
  ctx: PluginContext<undefined>,
  { options }: CliArguments,
): Promise<string | undefined> {
  const typed = options['surface']
  if (typeof typed !== 'string') return undefined
  const plugins = ctx.use(Plugins)
  const platforms = plugins.list().flatMap(({ manifest }) => {
    return (manifest.contributes?.['platforms'] ?? []).map((name) => ({ name, plugin: manifest.name }))
  })
  const known = [...new Set([...FRONT_ENDS, ...platforms.map(({ name }) => name)])]
  if (known.includes(typed)) {
    // Only the platform says whether it delivers events of machines, and it may have its own tools.
    const owner = platforms.find(({ name }) => name === typed)
    if (owner) await plugins.enable(owner.plugin)
    return typed
  }
  const message = `There is no surface "${typed}".${await resolveName(typed, known)} Those there are: ${known.join(', ')}.`
  throw new SvcError('TOOLS_SURFACE_UNKNOWN', message, { status: 404 })
}

/** Throws `TOOLS_NAME_UNKNOWN` for the first that is neither a toolset, nor a tool, nor in the configuration. */
export async function checkNames(ctx: PluginContext<undefined>, typed: readonly string[]): Promise<void> {
  const toolsets = getToolsets(ctx)
  const known = toolsets.list('cli').flatMap(({ name, tools }) => [name, ...tools.map((tool) => tool.name)])
  for (const name of typed) {
    try {
      toolsets.edits([{ name, to: 'off' }])
    } catch (cause) {
      const advice = (await resolveName(name, known)) || ' `svc tools list` names those there are.'
      const message = `There is no toolset and no tool "${name}".${advice} Nothing was written.`
      throw new SvcError('TOOLS_NAME_UNKNOWN', message, { status: 404, cause })
    }
  }
}

/** The toolsets; throws when there is no agent, because tools come with it. */
export function getToolsets(ctx: PluginContext<undefined>): Toolsets {
  ctx.use(Agent)
  return ctx.use(Toolsets)
}

async function resolveName(typed: string, known: readonly string[]): Promise<string> {
  const { closest, distance } = await import('fastest-levenshtein')
  const nearest = known.length > 0 ? closest(typed, known) : ''
  return nearest !== '' && distance(typed, nearest) <= Math.max(2, typed.length / 3) ? ` Did you mean ${nearest}?` : ''
}
