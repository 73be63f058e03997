/** Tokens that this machine gets without a sign-in: kept in memory until they end, and asked for once at a time. */
import { Clock, type PluginContext, Secrets } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import { signInError } from 'svc/sdk/kit/oauth'
import { type OAuthTokens, type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import type { Key } from './key.ts'

/** A token that ends during the call is no use. */
const SKEW_MS = 120_000
/** Clouds answer from the machine itself or from nearby; a program that signs in may take longer. */
const LIMIT_MS = 30_000

type Deps = Pick<PluginContext<unknown>, 'use' | 'all' | 'signal'>

export class AmbientTokens {
  readonly #deps: Deps
  readonly #kept: Map<string, OAuthTokens> = new Map()
  readonly #asked: Map<string, Promise<OAuthTokens>> = new Map()
  /** Flows whose token was refused and got for a second time. */
  readonly #refused: Set<string> = new Set()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** What is there for a provider, at most one of each flow; the text of the key is not known before `take`. */
  keys(provider: string): readonly Key[] {
    return this.#flows(provider).flatMap(({ name, ambient }) => {
      const label = ambient?.source()
      if (label === undefined) return []
      const key = this.#kept.get(name)?.accessToken ?? ''
      return [{ id: name, provider, label, key, status: 'ok', requests: 0, home: 'ambient' } satisfies Key]
    })
  }

  /** The key with a token that is good for a while. Rejects with what the flow says. */
  async take(key: Key): Promise<Key> {
    const flow = this.#deps.all(SignInFlows).get(key.id)
    if (!flow?.ambient) throw signInError('SIGN_IN_FAILED', `Nothing here can sign in by ${key.id} any more.`)
    const tokens = this.#good(flow) ?? (await this.#ask(flow))
    const { accessToken, baseUrl, account } = tokens
    return {
      ...key,
      key: accessToken,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(account === undefined ? {} : { account }),
    }
  }

  /** Whether another try makes sense: once, with a new token. */
  refused({ id }: Key): boolean {
    this.#kept.delete(id)
    if (this.#refused.has(id)) return false
    this.#refused.add(id)
    return true
  }

  accepted({ id }: Key): void {
    this.#refused.delete(id)
  }

  forget(provider: string): void {
    for (const { name } of this.#flows(provider)) {
      this.#kept.delete(name)
      this.#refused.delete(name)
    }
  }

  #flows(provider: string): readonly SignInFlow[] {
    return this.#deps
      .all(SignInFlows)
      .all()
      .filter((flow) => flow.provider === provider && flow.ambient)
  }

  #good({ name, renewBeforeMs = SKEW_MS }: SignInFlow): OAuthTokens | undefined {
    const kept = this.#kept.get(name)
    const isGood = kept?.expiresAt === undefined || kept.expiresAt - renewBeforeMs > this.#deps.use(Clock).now()
    return isGood ? kept : undefined
  }

  #ask(flow: SignInFlow): Promise<OAuthTokens> {
    const { name } = flow
    const asked = this.#asked.get(name) ?? this.#request(flow).finally(() => this.#asked.delete(name))
    this.#asked.set(name, asked)
    return asked
  }

  async #request({ name, label, ambient }: SignInFlow): Promise<OAuthTokens> {
    const late = () =>
      signInError('SIGN_IN_FAILED', `${label} gave no token within ${LIMIT_MS / 1000} s. Try again later.`)
    const work = async (signal: AbortSignal) => {
      if (!ambient) throw late()
      return ambient.token(signal)
    }
    const { use, signal } = this.#deps
    const tokens = await withDeadline(use(Clock), LIMIT_MS, work, late, { signal })
    // A token without an end is asked for at each call: its source knows best, and answers from memory or a file.
    if (tokens.expiresAt !== undefined) this.#kept.set(name, tokens)
    use(Secrets).protect(tokens.accessToken)
    return tokens
  }
}
