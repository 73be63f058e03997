/** Signing in as typed steps: what a flow shows, and the attempts that front ends drive one request at a time. */
import type { CredentialInfo } from './credentials.ts'
import { defineService, type Service } from './declarations.ts'

/** An address to open in a browser. @since 0.2 */
export interface SignInUrlStep {
  readonly kind: 'open-url'
  /** Has no secret that outlives the attempt. */
  readonly url: string
  /** `loopback`: the browser comes back to this machine by itself; `paste`: the page shows a code, which `ask` waits for. */
  readonly returns: 'loopback' | 'paste'
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** A code to enter at an address, at any device. @since 0.2 */
export interface SignInCodeStep {
  readonly kind: 'show-code'
  readonly code: string
  readonly url: string
  /** The address with the code in it, where the service has one. */
  readonly completeUrl?: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** How often the service is asked whether the person is done, in milliseconds. */
  readonly intervalMs: number
}

/** A shell command of another program that signs in. @since 0.2 */
export interface SignInCommandStep {
  readonly kind: 'run-command'
  readonly command: string
}

/** What a person is to do next. @since 0.2 */
export type SignInStep = SignInUrlStep | SignInCodeStep | SignInCommandStep

/** The person who signs in, as a flow sees them. @since 0.2 */
export interface SignInPerson {
  /** Replaces the step that was shown before. */
  show(step: SignInStep): void
  say(text: string): void
  /** Waits for a text, such as a code or the address that the browser was sent to; undefined when the person has none. */
  ask(prompt: string, signal?: AbortSignal): Promise<string | undefined>
}

/** `denied`: by the person at the service; `cancelled`: here. Only `pending` changes. @since 0.2 */
export type SignInStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'failed'

/** How an attempt stands. @since 0.2 */
export interface SignInState {
  readonly status: SignInStatus
  readonly step?: SignInStep
  /** The flow waits for a text: `SignInAttempt.submit`. */
  readonly prompt?: string
  /** Why it ended, and what to do. */
  readonly message?: string
  /** What was kept. */
  readonly credential?: CredentialInfo
}

/** One sign-in under way. @since 0.2 */
export interface SignInAttempt {
  /** Cannot be guessed. */
  readonly id: string
  readonly provider: string
  /** The name of the `SignInFlow`. */
  readonly flow: string
  /** Milliseconds since 1970; it is given up then. */
  readonly expiresAt: number
  readonly state: SignInState
  /** Resolves with the state when it is another than `since`, and rejects with the reason of the signal. */
  changed(since: SignInState, signal: AbortSignal): Promise<SignInState>
  /** Answers the prompt, and resolves with the next state in which nothing is worked at. Throws `SIGN_IN_NOT_ASKED`. */
  submit(text: string, signal: AbortSignal): Promise<SignInState>
  /** Ends it; nothing is kept. */
  cancel(): void
}

/** Attempts of this process, for front ends that answer requests. @since 0.2 */
export interface SignIns {
  /** Throws `SIGN_IN_UNKNOWN` and, when 16 are under way, `SIGN_IN_TOO_MANY`. */
  start(flow: string, options?: { readonly label?: string }): SignInAttempt
  /** One that is under way or ended less than 15 minutes ago. */
  find(id: string): SignInAttempt | undefined
}
export const SignIns: Service<SignIns> = defineService('sign-ins')
