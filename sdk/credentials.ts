/** Keys of outside services: several for one provider, used in turn, and rested when the service refuses one. */

import { defineService, type ExtensionPoint, extensionPoint, type Ordered, type Service } from './declarations.ts'
import type { ModelFailure } from './providers.ts'
import type { SignInPerson } from './sign-ins.ts'

/** A key in use. @since 0.2 */
export interface LeasedCredential {
  /** Of the pool's entry; the variable's name for a key that is not in the pool. */
  readonly id: string
  readonly key: string
  /** Its own address for the provider, when it has one. */
  readonly baseUrl?: string
  /** Left out: typed by a person. @since 0.2 */
  readonly type?: 'oauth'
  /** Whose it is, where the service tells and wants to be told. @since 0.2 */
  readonly account?: string
  /** The call went well. */
  succeeded(): void
  /**
   * The service refused. Rests the key or gives it up, as the kind of failure tells, and returns whether another one is
   * ready now: the call may be tried again at once.
   */
  failed(failure: ModelFailure): boolean
}

/** A key of the pool as it may be shown; the key itself is `***` and its last characters. @since 0.2 */
export interface CredentialInfo {
  readonly id: string
  readonly provider: string
  readonly label: string
  readonly type: 'api-key' | 'oauth'
  /** `manual`, or the name of the `SignInFlow`. */
  readonly source: string
  /** Lower comes first. */
  readonly priority: number
  readonly key: string
  readonly baseUrl?: string
  /** `exhausted`: rests until `resetAt`; `dead`: given up until it is added again or reset. */
  readonly status: 'ok' | 'exhausted' | 'dead'
  /** The last error of the service. */
  readonly error?: string
  /** Milliseconds since 1970. */
  readonly resetAt?: number
  readonly requests: number
  /** Of a sign-in: when its token ends, in milliseconds since 1970. */
  readonly expiresAt?: number
  /** Of a sign-in: it is renewed without a person. */
  readonly isRenewed?: boolean
  readonly account?: string
}

/** A key to keep. @since 0.1 */
export interface NewCredential {
  readonly provider: string
  readonly key: string
  readonly label?: string
  readonly baseUrl?: string
  /** Left out: behind all others. */
  readonly priority?: number
  /** The name of the `SignInFlow` that it came from, and what that left behind. */
  readonly flow?: string
  readonly signedIn?: OAuthTokens
}

/** Provided by the plugin `credentials`. All processes of a home share one pool. @since 0.1 */
export interface Credentials {
  /**
   * A key for the provider, from the pool or else from the first variable that holds one. Undefined if there is no key.
   * The caller reports how its call ended, so that parallel calls spread over the keys.
   * Rejects with `CREDENTIALS_RESTING` (when the first is ready again) or `CREDENTIALS_DEAD` when all are out of use.
   */
  take(provider: string, keyNames: readonly string[]): Promise<LeasedCredential | undefined>
  /** What `take` would find, for `ModelProvider.status`: cheap, asks no one. */
  status(provider: string, keyNames: readonly string[]): { readonly ready: boolean; readonly detail: string }

  /** The pool, of one provider or of all. This and what follows rejects with `CREDENTIALS_UNREADABLE`. */
  list(provider?: string): Promise<readonly CredentialInfo[]>
  /** Keeps a key; one that is there already is made usable again. Rejects with `CREDENTIALS_PLACEHOLDER`. */
  add(credential: NewCredential): Promise<CredentialInfo>
  /** Takes keys out of the pool; `restore` brings them back within a day. Rejects with `CREDENTIALS_UNKNOWN`. */
  remove(provider: string, ids: readonly string[]): Promise<readonly CredentialInfo[]>
  restore(ids: readonly string[]): Promise<readonly CredentialInfo[]>
  /** Ends rest and quarantine of a provider's keys; returns those that were out of use. */
  reset(provider: string): Promise<readonly CredentialInfo[]>
}
export const Credentials: Service<Credentials> = defineService('credentials', {
  own: { point: 'providers', members: ['take', 'status'] },
})

/**
 * A way to sign in other than typing a key. Contributed to `SignInFlows`; of several for one provider the first is the usual one.
 * @since 0.2
 */
export interface SignInFlow extends Ordered {
  /** The provider and the kind: `anthropic:oauth`. */
  readonly name: string
  readonly provider: string
  readonly type: 'oauth' | 'device-code' | 'external-command' | 'cloud-identity'
  readonly label: string
  /** The shell command of another program that signs in. */
  readonly command?: string
  /** Where the vendor describes it. */
  readonly page?: string
  /**
   * Leads a person through it: shows steps, says lines, asks for texts. Resolves with what is to be kept. Rejects with the codes of
   * `svc/sdk/kit/oauth`, and with the reason of the signal.
   */
  signIn(person: SignInPerson, signal: AbortSignal): Promise<OAuthTokens>
  /** How long before its end a token is renewed, in milliseconds (default 120,000). */
  readonly renewBeforeMs?: number
  /**
   * Renews what is about to expire; without a new refresh token the old one stays. Rejects with what ended it; the old one is
   * kept then. `SIGN_IN_ENDED` disables it until a person signs in again.
   */
  refresh?(state: OAuthTokens, signal: AbortSignal): Promise<OAuthTokens>
  /** What this machine brings without a sign-in. */
  readonly ambient?: AmbientIdentity
}

/**
 * Who this machine is without a sign-in: a cloud identity, a token of another program, a variable whose token is exchanged. Used when
 * the pool has no key of the provider. Its tokens are kept in memory only.
 * @since 0.2
 */
export interface AmbientIdentity {
  /** Where it is from, for people, such as `GH_TOKEN`; undefined: nothing is there. Quick, and asks no one. */
  source(): string | undefined
  /** Asked again when the token ends or was refused. Rejects with a sentence that says what to do. */
  token(signal: AbortSignal): Promise<OAuthTokens>
}

/** The tokens of a sign-in. Kept by the plugin `credentials`, in a file that only the user reads. @since 0.2 */
export interface OAuthTokens {
  readonly accessToken: string
  readonly refreshToken?: string
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
  readonly account?: string
  /** The service's own address for this account. */
  readonly baseUrl?: string
}
/** @since 0.2 */
export const SignInFlows: ExtensionPoint<SignInFlow> = extensionPoint('auth-flows', (flow) => flow.name)
