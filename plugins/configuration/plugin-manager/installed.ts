/** What is installed: by this svc, with a record, or before there were records. */
import { relative, sep } from 'node:path'
import { type CliArguments, Home, type PluginContext, SvcError } from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import { Consents } from 'svc/sdk/safety'
import { createVersionId, type Installed, readInstalled } from './versions/records.ts'

type Context = PluginContext<undefined>

/** The record of a plugin; without one, what its folder says. Throws `PLUGIN_BUILT_IN` or `PLUGIN_NOT_REMOVABLE`. */
export async function describeInstalled(ctx: Context, info: PluginInfo): Promise<Installed> {
  refuseForeign(info)
  const { name, version } = info.manifest
  const record = readInstalled(ctx, name)
  if (record) return record
  const { hash } = await ctx.use(Consents).inspect(info)
  const packageName = info.origin === 'npm' ? getPackageName(ctx, info) : undefined
  const source = packageName && ({ kind: 'package', name: packageName, wanted: 'latest', integrity: '' } as const)
  const id = createVersionId(version, hash)
  const current = { id, version, hash, at: 0, ...(source && { source }) }
  const origin = packageName === undefined ? 'home' : 'npm'
  return { name, origin, ...(packageName !== undefined && { packageName }), current: id, versions: [current] }
}

/** Throws for a plugin that the user did not bring to this home. */
export function refuseForeign({ manifest, origin, dir }: PluginInfo): void {
  const { name } = manifest
  if (origin === 'built-in')
    throw new SvcError('PLUGIN_BUILT_IN', `${name} is built in. To switch it off: svc plugins disable ${name}`)
  if (origin !== 'home' && origin !== 'npm')
    throw new SvcError('PLUGIN_NOT_REMOVABLE', `${name} belongs to the ${origin}, not to this home. ${dir}`.trim())
}

/** The value of an option that takes one. */
export function readOption({ options }: CliArguments, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

function getPackageName(ctx: Context, { dir }: PluginInfo): string {
  return relative(ctx.use(Home).path('npm', 'node_modules'), dir).split(sep).join('/')
}
