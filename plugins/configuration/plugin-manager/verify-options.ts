/** What `svc plugins verify` gives the conformance kit: other plugins, settings, and the files of the package. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CliArguments, type CliContext, errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import { hasFlag } from 'svc/sdk/kit/terminal'
import { parse } from 'yaml'
import { childRun } from './sources/child.ts'
import { npm } from './sources/npm.ts'

/** Options of the kit that a user can choose. */
export interface VerifyOptions {
  readonly with?: readonly string[]
  readonly config?: Record<string, unknown>
  readonly files?: readonly string[]
}

/** Throws `PLUGIN_FOLDER` for what cannot be read, and what npm throws. */
export async function readVerifyOptions(
  ctx: PluginContext<undefined>,
  dir: string,
  input: CliArguments,
  io: CliContext,
): Promise<VerifyOptions> {
  const { with: others, config } = input.options
  const folders = (Array.isArray(others) ? others : []).map((each) => resolve(io.cwd, each))
  const missing = folders.find((each) => !existsSync(join(each, 'plugin.json')))
  if (missing !== undefined) throw new SvcError('PLUGIN_FOLDER', `--with: there is no plugin.json in ${missing}.`)
  return {
    ...(folders.length > 0 && { with: folders }),
    ...(typeof config === 'string' && { config: readSettings(resolve(io.cwd, config)) }),
    ...(hasFlag(input, 'packed') && { files: await listPacked(ctx, dir, io) }),
  }
}

function readSettings(file: string): Record<string, unknown> {
  const refused = (why: string) => new SvcError('PLUGIN_FOLDER', `--config: ${file} cannot be used: ${why}`)
  let values: unknown
  try {
    values = parse(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    throw refused(errorMessage(error))
  }
  if (typeof values === 'object' && !Array.isArray(values)) return values as Record<string, unknown>
  throw refused('it must hold names and values, such as "plugins:".')
}

/** npm itself answers: package.json, .npmignore and the names that it always adds or leaves out. */
async function listPacked(ctx: PluginContext<undefined>, dir: string, io: CliContext): Promise<readonly string[]> {
  if (!existsSync(join(dir, 'package.json')))
    throw new SvcError('PLUGIN_FOLDER', `--packed: there is no package.json in ${dir}, so npm cannot pack it.`)
  const parsed: unknown = JSON.parse(await npm(['pack', '--dry-run', '--json'], dir, childRun(ctx, io)))
  // Newer versions of npm answer with an object that has the name as its key.
  const [packed] = (Array.isArray(parsed) ? parsed : Object.values(parsed as object)) as {
    readonly files: readonly { readonly path: string }[]
  }[]
  return packed?.files.map(({ path }) => path) ?? []
}
