/** The key of one model call: of the pool when there is one, else of a variable; and the report on how the call went. */
import { Credentials, type LeasedCredential } from './credentials.ts'
import { errorCode, errorMessage } from './errors.ts'
import { isKeyAllowedAt } from './model-address.ts'
import { createModelFailure } from './model-failure.ts'
import type { PluginContext } from './plugin.ts'
import type { ModelEvent, ModelFailure } from './providers.ts'
import { Secrets } from './secrets.ts'

/** A key that may be used, or the name of the variable that should hold one. @since 0.2 */
export interface ModelKey {
  readonly value: string | undefined
  /** The variable that holds it or should; undefined for a key of the pool and where no variable is looked at. */
  readonly variable: string | undefined
  /** May have its own address; report the outcome of the call with `KeyReport`. */
  readonly credential?: LeasedCredential
}

/**
 * The current key of a provider, or why no key can be used. Variables are in the order in which they are looked at. The
 * address that belongs to a key of the pool is one that it may be sent to: HTTPS, or this machine.
 * @since 0.2
 */
export async function acquireApiKey(
  provider: string,
  variables: readonly string[],
  host: Pick<PluginContext<unknown>, 'use' | 'find'>,
): Promise<ModelKey | { readonly failure: ModelFailure }> {
  const [pool, secrets] = [host.find(Credentials), host.use(Secrets)]
  const variable = keyVariable(variables, secrets)
  if (!pool) return { value: variable === undefined ? undefined : secrets.get(variable), variable }
  try {
    const credential = await pool.take(provider, variables)
    if (!credential) return { value: undefined, variable }
    if (credential.baseUrl !== undefined && !isAddress(credential.baseUrl)) return unsendable(provider, credential)
    return { value: credential.key, variable: variables.find((name) => name === credential.id), credential }
  } catch (error) {
    // Keys may cool down for an hour: too long to wait, so another model is tried.
    const kind = errorCode(error) === 'CREDENTIALS_RESTING' ? 'rate-limit' : 'auth'
    return { failure: { ...createModelFailure(kind, errorMessage(error)), retryable: false } }
  }
}

/** Whether a provider that needs a key has one, in the form of `ModelProvider.status`. @since 0.2 */
export function apiKeyStatus(
  provider: string,
  variables: readonly string[],
  host: Pick<PluginContext<unknown>, 'use' | 'find'>,
): { readonly ready: boolean; readonly detail: string } {
  const [pool, secrets] = [host.find(Credentials), host.use(Secrets)]
  if (pool) return pool.status(provider, variables)
  const variable = keyVariable(variables, secrets)
  const source = variable === undefined ? undefined : secrets.source(variable)
  return source === undefined
    ? { ready: false, detail: `${variable} is not set` }
    : { ready: true, detail: `${variable} is set (${source})` }
}

/** The variable that is set, else the first: the one to set. */
function keyVariable(variables: readonly string[], secrets: Secrets): string | undefined {
  return variables.find((name) => secrets.source(name) !== undefined) ?? variables[0]
}

/** Keys of the pool may be sent to any configured address, but not in clear text. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return url.username === '' && url.password === '' && isKeyAllowedAt(url, [url.hostname])
}

function unsendable(provider: string, credential: LeasedCredential): { readonly failure: ModelFailure } {
  const message = `The key ${credential.id} of ${provider} was kept with an address that is not HTTPS. Add it again with \`svc auth add ${provider}\`.`
  const failure = createModelFailure('invalid', message)
  credential.failed(failure)
  return { failure }
}

/** Tells a key of the pool once how its call ended. */
export class KeyReport implements Disposable {
  #credential: LeasedCredential | undefined

  constructor({ credential }: Pick<ModelKey, 'credential'>) {
    this.#credential = credential
  }

  /** Takes the last events of a call. A failure is worth another try at once when the pool has another key. */
  ended(events: readonly ModelEvent[]): readonly ModelEvent[] {
    const credential = this.#credential
    const last = events.at(-1)
    if (!credential || !last) return events
    this.#credential = undefined
    if (last.type !== 'failed') {
      credential.succeeded()
      return events
    }
    if (!credential.failed(last.failure)) return events
    return [...events.slice(0, -1), { type: 'failed', failure: { ...last.failure, retryable: true, retryAfterMs: 0 } }]
  }

  /** Ends the call. A call whose answer was not read to its end releases its key without a verdict. */
  close(): void {
    this.#credential?.failed(createModelFailure('aborted', 'The answer was not read to its end.'))
    this.#credential = undefined
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
