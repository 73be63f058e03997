/** The keys of clients over HTTP, and whose they are. */
import { type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { isSameSecret } from 'svc/sdk/kit/net'
import { explainWeakSecret } from 'svc/sdk/safety'
import type { Config } from './config.ts'

type Context = PluginContext<Config>

const MAIN_KEY = 'MCP_SERVE_KEY'

export function mainKey(ctx: Context): string | undefined {
  return ctx.use(Secrets).get(MAIN_KEY)
}

export function accountKeys(ctx: Context): ReadonlyMap<string, string> {
  const keys = Object.entries(ctx.config.clients).flatMap(([name, { key_env }]) => {
    const key = ctx.use(Secrets).get(key_env)
    return key === undefined ? [] : [[name, key] as const]
  })
  return new Map(keys)
}

/** The account whose key the request has; undefined for the main key. The server has checked that it is one of them. */
export function findAccount(ctx: Context, authorization: string | undefined): string | undefined {
  const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
  const main = mainKey(ctx)
  if (main !== undefined && isSameSecret(given, main)) return undefined
  const [name] = [...accountKeys(ctx)].find(([, key]) => isSameSecret(given, key)) ?? []
  // The keys changed after the check.
  if (name === undefined) throw new SvcError('MCP_SERVE_CLIENT', 'The key is no longer valid.', { status: 401 })
  return name
}

/** Throws `MCP_SERVE_KEY` and `MCP_SERVE_CLIENT`. */
export function checkKeys(ctx: Context): void {
  const weakness = explain(mainKey(ctx))
  if (weakness !== undefined) {
    const text = `${MAIN_KEY} ${weakness}. Set 16 random characters or more: svc config set ${MAIN_KEY} <key>`
    throw new SvcError('MCP_SERVE_KEY', text)
  }
  const keys = accountKeys(ctx)
  const seen = [mainKey(ctx)]
  for (const [name, { key_env }] of Object.entries(ctx.config.clients)) {
    const key = keys.get(name)
    const problem = explain(key) ?? (seen.includes(key) ? 'is the key of another client' : undefined)
    seen.push(key)
    if (problem === undefined) continue
    const text = `${key_env}, the key of the client ${name}, ${problem}. Set 16 random characters or more in .env.`
    throw new SvcError('MCP_SERVE_CLIENT', text)
  }
}

function explain(key: string | undefined): string | undefined {
  return key === undefined ? 'is not set' : explainWeakSecret(key)
}
