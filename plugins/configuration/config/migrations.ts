/** The versions of config.yaml: what each step changes, and how steps are taken. Manifests say which variables are new. */
import { Config, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import type { ParsedYaml, YamlChange } from 'svc/sdk/host'
import { type ConfigMigration, Plugins } from 'svc/sdk/host'
import { readText, writeText } from './atomic-write.ts'
import { type ConfigText, configText } from './config-text.ts'
import type { ConfigWriter } from './writer.ts'

type Values = ParsedYaml['values']

/** From the version before to `to`. */
export interface Migration {
  readonly to: number
  readonly description: string
  /** What to change in a file of these values. A step renames, removes or writes values that are no defaults. */
  changes?(values: Values): readonly YamlChange[]
}

export const migrations: readonly Migration[] = [
  {
    to: 1,
    description: 'Model servers read their keys from .env',
  },
]

/** The version that this program writes. */
export const CONFIG_VERSION: number = migrations.at(-1)?.to ?? 0

/** What a new file begins with: one without a version would count as old. */
export const newFile = `config_version: ${CONFIG_VERSION}\n`

/** The version of a file's values: that of its key, 0 without one. */
function getConfigVersion(values: Values): number {
  const version = values['config_version'] ?? 0
  if (typeof version === 'number' && Number.isInteger(version) && version >= 0) return version
  const message = `config_version is ${JSON.stringify(version)}, and must be a whole number. Fix it with: svc config edit`
  throw new SvcError('CONFIG_INVALID', message, { status: 400 })
}

/** Refuses the file of a newer program: the meaning of its keys is not known. Throws `CONFIG_TOO_NEW`. */
export function refuseNewer({ config_version: version }: Values, file: string): void {
  if (typeof version !== 'number' || version <= CONFIG_VERSION) return
  const message = `${file} has config_version ${version}; this svc knows ${CONFIG_VERSION}. Update svc to change it. Nothing was written.`
  throw new SvcError('CONFIG_TOO_NEW', message, { status: 409 })
}

/** The steps that a version still lacks. */
export function stepsAfter(version: number, steps: readonly Migration[] = migrations): Migration[] {
  return steps.filter(({ to }) => to > version)
}

/** The text with the steps taken and their version written. */
export async function applyMigrations(text: string, steps: readonly Migration[], yaml: ConfigText): Promise<string> {
  let now = text
  for (const { to, changes } of steps) {
    const own = changes?.((await yaml.read(now)).values) ?? []
    now = await yaml.edit(now, [...own, { path: ['config_version'], value: to }])
  }
  return now
}

/** Takes the steps that the file lacks. */
export async function migrate(ctx: PluginContext<unknown>, writer: ConfigWriter): Promise<ConfigMigration> {
  const yaml = configText(ctx)
  let from = CONFIG_VERSION
  let backup: string | undefined
  const change = await writer.rewrite(async (text) => {
    const { values } = await yaml.read(text ?? '')
    refuseNewer(values, yaml.file)
    if (text !== undefined) from = getConfigVersion(values)
    const steps = stepsAfter(from)
    if (text !== undefined && steps.length > 0) backup = await backUp(yaml.file, text, from)
    const after = text && (await applyMigrations(text, steps, yaml))
    return { text: after, author: 'svc config migrate', reason: `migrate from version ${from}` }
  })
  const steps = stepsAfter(from)
  const taken = steps.map(({ to }) => to)
  const variables = ctx
    .use(Plugins)
    .list()
    .flatMap(({ manifest, origin }) => {
      // A plugin of a user came when it was installed, not with a version of this program.
      const first = origin === 'built-in' ? 1 : undefined
      return (manifest.env ?? []).filter(
        ({ name, since = first }) =>
          since !== undefined && taken.includes(since) && ctx.use(Secrets).get(name) === undefined,
      )
    })
  return {
    from,
    to: CONFIG_VERSION,
    plugins: await migrateBlocks(ctx, writer),
    steps: steps.map(({ to, description }) => ({ to, description })),
    variables,
    ...(change ? { change } : {}),
    ...(backup === undefined ? {} : { backup }),
  }
}

/** Writes the settings that lack steps of `configMigrations`; returns the plugins. What cannot be migrated stays as it is. */
async function migrateBlocks(ctx: PluginContext<unknown>, writer: ConfigWriter): Promise<string[]> {
  const done: string[] = []
  const config = ctx.use(Config)
  for (const { manifest, origin } of ctx.use(Plugins).list()) {
    const { name } = manifest
    if (origin === 'project' || config.get(manifest.config ?? `plugins.entries.${name}`) === undefined) continue
    const by = { author: 'svc config migrate', reason: `migrate the settings of ${name}` }
    if (await writer.migrateSettings(name, by)) done.push(name)
  }
  return done
}

/** A backup is never overwritten by another text. */
async function backUp(file: string, text: string, version: number): Promise<string> {
  for (let count = 1; ; count++) {
    const backup = `${file}.bak-v${version}${count === 1 ? '' : `-${count}`}`
    const { text: there } = await readText(backup)
    if (there === undefined) await writeText(backup, text, { mode: 0o600 })
    if (there === undefined || there === text) return backup
  }
}
