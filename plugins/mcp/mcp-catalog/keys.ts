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

async function ask(key: CatalogKey, io: CliContext): Promise<string | undefined> {
  const notes = [
    ...(key.secret ? ['not shown'] : []),
    ...(key.default === undefined ? [] : [`Enter for ${key.default}`]),
    ...(key.required || key.default !== undefined ? [] : ['Enter to leave it out']),
  ]
  const note = notes.length > 0 ? ` (${notes.join(', ')})` : ''
  const prompt = `${safeLine(key.prompt ?? key.name)}${safeLine(note) && ` ${safeLine(note)}`}: `
  const typed = (await io.ask(prompt, { secret: key.secret }))?.trim()
  if (typed && /\p{Cc}/u.test(typed))
    throw new SvcError('MCP_CATALOG_KEY', `The value of ${key.name} must be one line.`)
  return typed
}

function missing(name: string, key: CatalogKey): SvcError {
  const message = `${name} needs ${key.name} (${safeLine(key.prompt ?? 'no description')}). Nothing was installed.`
  return new SvcError('MCP_CATALOG_KEY', `${message} Set it first: svc config set ${key.name}`, { status: 400 })
}
