/** The attempts of this process. */
import { Clock, type PluginContext, Random, SvcError } from 'svc/sdk'
import { SignInFlows } from 'svc/sdk/provider'
import type { SignInAttempt, SignIns } from 'svc/sdk/sign-in'
import { Attempt } from './attempt.ts'

const LIFETIME_MS = 15 * 60_000
const MAX_ATTEMPTS = 16

/** Contract: `SignIns` of the SDK. */
export class Attempts implements SignIns {
  readonly #ctx: PluginContext<undefined>
  readonly #attempts: Map<string, Attempt> = new Map()

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  start(name: string, options: { readonly label?: string } = {}): SignInAttempt {
    const flow = this.#ctx.all(SignInFlows).get(name)
    if (!flow) throw new SvcError('SIGN_IN_UNKNOWN', `There is no way "${name}" to sign in.`, { status: 404 })
    const open = [...this.#attempts.values()].filter(({ state }) => state.status === 'pending')
    if (open.length >= MAX_ATTEMPTS)
      throw new SvcError('SIGN_IN_TOO_MANY', `${open.length} sign-ins are under way. Finish or cancel one.`, {
        status: 429,
      })
    const clock = this.#ctx.use(Clock)
    const id = this.#ctx.use(Random).hex(16)
    const attempt = new Attempt(this.#ctx, { id, flow, expiresAt: clock.now() + LIFETIME_MS, ...options })
    this.#attempts.set(id, attempt)
    clock.after(
      LIFETIME_MS,
      () => {
        attempt.expire()
        // How it ended can be asked for a while longer.
        clock.after(LIFETIME_MS, () => this.#attempts.delete(id), { background: true })
      },
      { background: true },
    )
    return attempt
  }

  find(id: string): SignInAttempt | undefined {
    return this.#attempts.get(id)
  }

  /** Ends all. */
  close(): void {
    for (const attempt of this.#attempts.values()) attempt.cancel()
  }
}
