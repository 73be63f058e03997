/** What plugins need of each other, and what they would be able to do: read from their manifests. */
import { defineService, type PluginContext, SvcError } from 'svc/sdk'
import { findPluginToEnable, type Manifest, type PluginInfo, Plugins, reasonNeverLoaded } from 'svc/sdk/host'
import { safeLine } from 'svc/sdk/kit/terminal'
import { listClaims } from 'svc/sdk/safety'
import { isOn, type Switches } from './switches.ts'

/** The plugin; throws `PLUGIN_UNKNOWN` with the nearest name. */
export async function findPlugin(ctx: PluginContext<undefined>, name: string): Promise<PluginInfo> {
  const info = ctx.use(Plugins).info(name)
  if (info) return info
  // The host's own error names the nearest plugin; there is no other way to ask for it.
  await ctx.use(Plugins).module(name)
  throw new SvcError('PLUGIN_NOT_USABLE', `${name} appeared just now. Try again.`)
}

type PluginState = Pick<PluginInfo, 'status' | 'reason' | 'leftOut'>

/** Why a plugin could not run even if it were switched on; undefined when only its switch is off. */
export function obstacle({ status, reason, leftOut }: PluginState): string | undefined {
  return status === 'left-out' && findPluginToEnable('', leftOut) === undefined ? reason : undefined
}

/** Services it requires that neither the program nor a plugin that is on provides. */
export function missingServices(ctx: PluginContext<undefined>, info: PluginInfo, switches: Switches): string[] {
  const others = ctx.use(Plugins).list()
  const provided = others.filter((other) => isOn(other, switches)).flatMap(({ manifest }) => manifest.provides ?? [])
  return (info.manifest.requires ?? []).filter((id) => !provided.includes(id) && !ctx.find(defineService(id)))
}

/** Why it would never run although it is on; undefined when something loads it. */
export function explainNeverLoaded(ctx: PluginContext<undefined>, { manifest }: Pick<PluginInfo, 'manifest'>) {
  const others = ctx.use(Plugins).list()
  return reasonNeverLoaded(
    manifest,
    others.map((other) => other.manifest),
  )
}

/** What conflicts with an enabled plugin, so that this one would be left out; undefined without a conflict. */
export function rivalry(
  ctx: PluginContext<undefined>,
  { manifest }: Pick<PluginInfo, 'manifest'>,
  switches: Switches,
): string | undefined {
  const others = ctx.use(Plugins).list()
  const on = others.filter((other) => other.manifest.name !== manifest.name && isOn(other, switches))
  const owners = new Map(on.flatMap((other) => listClaims(other.manifest).map(({ key }) => [key, other] as const)))
  for (const { key, reason } of listClaims(manifest)) {
    const owner = owners.get(key)
    if (owner) return reason(owner)
  }
  return undefined
}

/** Plugins that are on and cannot run without this one, directly or not. */
export function dependents(all: readonly PluginInfo[], name: string, switches: Switches): string[] {
  const on = all.filter((info) => isOn(info, switches))
  const gone = new Set([name])
  for (let before = 0; before !== gone.size; ) {
    before = gone.size
    const left = on.filter(({ manifest }) => !gone.has(manifest.name))
    const provided = left.flatMap(({ manifest }) => manifest.provides ?? [])
    const lost = on.filter(({ manifest }) => gone.has(manifest.name)).flatMap(({ manifest }) => manifest.provides ?? [])
    for (const { manifest } of left)
      if (manifest.requires?.some((id) => lost.includes(id) && !provided.includes(id))) gone.add(manifest.name)
  }
  gone.delete(name)
  return [...gone].sort()
}

/** What a plugin says it will do, one line each. Its code is not asked. */
export function abilities(manifest: Manifest): string[] {
  const { contributes = {}, aliases = {}, cli = [], provides = [], env = [], grants = {}, requires = [] } = manifest
  const { hooks = [], guards = [] } = manifest as Manifest & Partial<Record<'hooks' | 'guards', readonly string[]>>
  const added = Object.entries(contributes).map(
    ([point, keys]) => `adds ${point.replaceAll('-', ' ')}: ${[...keys, ...(aliases[point] ?? [])].join(', ')}`,
  )
  const { replaces = {}, wraps = [] } = manifest
  const replaced = Object.entries(replaces).map(
    ([point, keys]) =>
      `replaces ${point.replaceAll('-', ' ')} of other plugins, so that its code runs instead: ${keys.join(', ')}`,
  )
  const variables = env.map(({ name, secret }) => (secret ? `${name} (secret)` : name))
  const lines = [
    ...added,
    ...replaced,
    ...(wraps.length
      ? [`stands between other plugins and services, and sees and may change what passes: ${wraps.join(', ')}`]
      : []),
    ...(cli.length ? [`answers ${cli.map(({ name }) => `svc ${name}`).join(', ')}`] : []),
    ...(provides.length ? [`provides to other plugins: ${provides.join(', ')}`] : []),
    ...(requires.length ? [`uses: ${requires.join(', ')}`] : []),
    ...(hooks.length
      ? [`listens to what happens, and may decide where a decision is asked for: ${hooks.join(', ')}`]
      : []),
    ...(guards.length ? [`guards, so that nothing passes without it: ${guards.join(', ')}`] : []),
    ...(variables.length ? [`reads environment variables: ${variables.join(', ')}`] : []),
    ...Object.entries(grants).map(([what, list]) => `asks to reach ${what}: ${list.join(', ')}`),
    'runs with your rights: its code can read and change what you can',
  ]
  return lines.map(safeLine)
}
