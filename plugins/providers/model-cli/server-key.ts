/** Stores the key of a custom server where it takes effect, and no key of an earlier server where that could be sent to it. */
import { Secrets } from 'svc/sdk'
import type { ConfigEdit } from 'svc/sdk/host'
import { Credentials, Providers } from 'svc/sdk/provider'
import type { Dialogue } from './dialogue.ts'

/** What was entered for the server. */
export interface EnteredKey {
  /** Undefined: no key was entered. */
  readonly key: string | undefined
  /** The address is the configured one. */
  readonly isSameServer: boolean
  /** The configured server was taken as it is, with the key that it has. */
  readonly isKnown: boolean
}

/** What is left to be written to `.env`, and what the person should know. */
export interface StoredKey {
  readonly edits: readonly ConfigEdit[]
  readonly note?: string
}

/** The variable that keeps the key; undefined when the provider takes none. */
export function keyVariable(ctx: Dialogue['ctx'], provider: string): string | undefined {
  return ctx.all(Providers).get(provider)?.auth?.keyNames?.[0]
}

/**
 * The pool of `svc auth add` comes before the environment, and the environment before `.env`. A new key goes to `.env`
 * unless something else would come before it there; then it becomes the first of the pool.
 */
export async function storeKey(dialogue: Dialogue, provider: string, entered: EnteredKey): Promise<StoredKey> {
  const { ctx } = dialogue
  const { key, isSameServer, isKnown } = entered
  const variable = keyVariable(ctx, provider)
  if (variable === undefined) return { edits: [] }
  const source = ctx.use(Secrets).source(variable)
  const note = isSameServer ? undefined : await removeEarlier(dialogue, provider)
  const credentials = ctx.find(Credentials)
  const pool = (await credentials?.list(provider)) ?? []
  const edits = (value: string | undefined) => [{ path: variable, value }]
  const noted = note === undefined ? {} : { note }
  if (key === undefined) return { edits: source === '.env' && !isKnown ? edits(undefined) : [], ...noted }
  if (!credentials || (pool.length === 0 && source !== 'environment')) return { edits: edits(key), ...noted }
  const first = Math.min(...pool.map(({ priority }) => priority), 1)
  await credentials.add({ provider, key, priority: first - 1 })
  return { edits: source === '.env' ? edits(undefined) : [], ...noted }
}

/** A key belongs to one server: those of an earlier one are taken out of the pool. */
async function removeEarlier({ ctx, t }: Dialogue, provider: string): Promise<string | undefined> {
  const credentials = ctx.find(Credentials)
  const ids = ((await credentials?.list(provider)) ?? []).map(({ id }) => id)
  if (ids.length === 0) return undefined
  await credentials?.remove(provider, ids)
  const values = { command: `svc auth restore ${ids.join(' ')}` }
  return t('The keys stored for the earlier server were removed. Within a day, {command} brings them back.', values)
}
