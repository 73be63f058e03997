/** Renews a sign-in that is about to end. One process does it, the others take what it got. */
import { Clock, errorCode, errorMessage, logFault, type PluginContext } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import { isEndedSignIn } from 'svc/sdk/kit/oauth'
import { type OAuthTokens, Providers, type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import type { AuthFile } from './auth-file.ts'
import type { Config } from './config.ts'
import { fromStored, type Key, type Standing } from './key.ts'
import { isForEver } from './refusal-verdict.ts'
import { listStoredKeys, type StoredKey } from './stored-keys.ts'

/** A token that ends during the call is no use. */
const SKEW_MS = 120_000
/** Other processes wait for the file meanwhile. */
const LIMIT_MS = 10_000
const RETRY_AFTER_MS = 5 * 60_000

type Outcome = { readonly key: Key } | { readonly standing: Omit<Standing, 'key' | 'at'> }

/** Whether it ends soon. */
export function isDue({ stored }: Key, now: number, flow: Pick<SignInFlow, 'renewBeforeMs'> | undefined): boolean {
  return stored?.expires_at !== undefined && stored.expires_at - (flow?.renewBeforeMs ?? SKEW_MS) <= now
}

/** The new key; the old one while it is still good; else how it stands. */
export async function renew(
  ctx: PluginContext<Config>,
  file: AuthFile,
  key: Key,
  why: 'due' | 'refused',
): Promise<Outcome> {
  const now = ctx.use(Clock).now()
  try {
    const stored = await file.update(async (all) => {
      const own = listStoredKeys(all, key.provider).find(({ id }) => id === key.id)
      if (own && own.access_token === key.key) keepSignIn(own, await askFlow(ctx, own))
      return own
    })
    if (stored) return { key: { ...fromStored(key.provider, stored, 'pool'), status: 'ok' } }
    return { standing: { status: 'dead', error: 'It was removed.' } }
  } catch (error) {
    if (errorCode(error).startsWith('CREDENTIALS_')) throw error
    const { provider } = key
    const owner = () => ctx.all(Providers).owner(provider)
    if (!ctx.signal.aborted) logFault(ctx.log, `the sign-in at ${provider} could not be renewed`, error, owner())
    const message = errorMessage(error)
    if (isEndedSignIn(error) || isForEver({ message })) return { standing: { status: 'dead', error: message } }
    if (why === 'due' && (key.stored?.expires_at ?? 0) > now) return { key }
    return { standing: { status: 'exhausted', error: message, resetAt: now + RETRY_AFTER_MS } }
  }
}

/** Writes what a sign-in left behind into the file's entry. */
export function keepSignIn(stored: StoredKey, signedIn: OAuthTokens): void {
  stored.access_token = signedIn.accessToken
  if (signedIn.refreshToken !== undefined) stored.refresh_token = signedIn.refreshToken
  if (signedIn.expiresAt === undefined) delete stored.expires_at
  else stored.expires_at = signedIn.expiresAt
  if (signedIn.account !== undefined) stored.account = signedIn.account
  if (signedIn.baseUrl !== undefined) stored.base_url = signedIn.baseUrl
  stored.last_status = 'ok'
}

async function askFlow(ctx: PluginContext<Config>, stored: StoredKey): Promise<OAuthTokens> {
  const flow = ctx.all(SignInFlows).get(stored.source)
  const refresh = flow?.refresh?.bind(flow)
  if (!refresh) throw new Error(`Nothing here can renew a sign-in by ${stored.source}.`)
  const { access_token: accessToken, refresh_token, expires_at, account, base_url } = stored
  const state = {
    accessToken,
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
    ...(account === undefined ? {} : { account }),
    ...(base_url === undefined ? {} : { baseUrl: base_url }),
  }
  const late = () => new Error('The service did not answer in time.')
  const options = { signal: ctx.signal }
  return withDeadline(ctx.use(Clock), LIMIT_MS, async (signal) => refresh(state, signal), late, options)
}
