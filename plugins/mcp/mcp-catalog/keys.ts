/** The variables that an entry needs: asked for on a terminal, and those that are set are kept. */
import { type CliContext, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import type { ConfigEdit } from 'svc/sdk/host'
import { safeLine } from 'svc/sdk/kit/terminal'
import { type CatalogKey, type CatalogManifest, listKeys } from './manifest.ts'

/**
 * Edits that keep what was typed in `.env`. Throws `MCP_CATALOG_KEY` if a variable without which the server does not work stays
 * without a value.
 */
export async function askKeys(
  ctx: PluginContext<undefined>,
  manifest: CatalogManifest,
  io: CliContext,
): Promise<readonly ConfigEdit[]> {
  const secrets = ctx.use(Secrets)
  const edits: ConfigEdit[] = []
  for (const key of listKeys(manifest)) {
    if (secrets.get(key.name) !== undefined) {
      io.err(`${key.name} is set in ${secrets.source(key.name) === '.env' ? '.env' : 'the environment'} and is used.\n`)
      continue
    }
    const value = (io.interactive ? await ask(key, io) : undefined) || key.default
    if (value) edits.push({ path: key.name, value })
    else if (key.required) throw missing(manifest.name, key)
  }
  return edits
}

/** The same for values that came together, by names. Throws `MCP_CATALOG_KEY`, also for a variable that the entry does not name. */
export function takeKeys(
  ctx: PluginContext<undefined>,
  manifest: CatalogManifest,
  given: Readonly<Record<string, string>>,
): readonly ConfigEdit[] {
  const keys = listKeys(manifest)
  const foreign = Object.keys(given).find((name) => !keys.some((key) => key.name === name))
  if (foreign !== undefined)
    throw new SvcError('MCP_CATALOG_KEY', `${manifest.name} does not read ${safeLine(foreign)}.`, { status: 400 })
  return keys.flatMap((key) => {
    const value = given[key.name]?.trim() || undefined
    const isSet = ctx.use(Secrets).get(key.name) !== undefined
    if (value !== undefined && /\p{Cc}/u.test(value)) throw manyLines(key)
    const chosen = value ?? (isSet ? undefined : key.default)
    if (chosen !== undefined) return [{ path: key.name, value: chosen }]
    if (key.required && !isSet) throw missing(manifest.name, key)
    return []
  })
}

function manyLines(key: CatalogKey): SvcError {
  return new SvcError('MCP_CATALOG_KEY', `The value of ${key.name} must be one line.`, { status: 400 })
}

async function ask(key: CatalogKey, io: CliContext): Promise<string | undefined> {
  const notes = [
    ...(key.secret ? ['not shown'] : []),
    ...(key.default === undefined ? [] : [`Enter for ${key.default}`]),
    ...(key.required || key.default !== undefined ? [] : ['Enter to leave it out']),
  ]
  const note = notes.length > 0 ? ` (${notes.join(', ')})` : ''
  const prompt = `${safeLine(key.prompt ?? key.name)}${safeLine(note) && ` ${safeLine(note)}`}: `
  const typed = (await io.ask(prompt, { secret: key.secret }))?.trim()
  if (typed && /\p{Cc}/u.test(typed)) throw manyLines(key)
  return typed
}

function missing(name: string, key: CatalogKey): SvcError {
  const message = `${name} needs ${key.name} (${safeLine(key.prompt ?? 'no description')}). Nothing was installed.`
  return new SvcError('MCP_CATALOG_KEY', `${message} Set it first: svc config set ${key.name}`, { status: 400 })
}
