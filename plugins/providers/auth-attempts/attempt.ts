/** One sign-in, driven by requests: what a flow shows and asks becomes a state, and what is submitted answers it. */
import { errorCode, errorMessage, logFault, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { Credentials, type SignInFlow } from 'svc/sdk/provider'
import type { SignInAttempt, SignInPerson, SignInState } from 'svc/sdk/sign-in'

/** How failures end an attempt. */
const STATUS: Readonly<Record<string, SignInState['status']>> = {
  SIGN_IN_DENIED: 'denied',
  SIGN_IN_EXPIRED: 'expired',
}

interface Given {
  readonly id: string
  readonly flow: SignInFlow
  readonly expiresAt: number
  readonly label?: string
}

/** Contract: `SignInAttempt` of the SDK. */
export class Attempt implements SignInAttempt {
  readonly id: string
  readonly provider: string
  readonly flow: string
  readonly expiresAt: number
  readonly #ctx: PluginContext<undefined>
  readonly #ended: AbortController = new AbortController()
  #state: SignInState = { status: 'pending' }
  #answer: ((text: string | undefined) => void) | undefined
  #waiting: Set<() => void> = new Set()

  constructor(ctx: PluginContext<undefined>, given: Given) {
    this.#ctx = ctx
    this.id = given.id
    this.flow = given.flow.name
    this.provider = given.flow.provider
    this.expiresAt = given.expiresAt
    void this.#run(given)
  }

  get state(): SignInState {
    return this.#state
  }

  async changed(since: SignInState, signal: AbortSignal): Promise<SignInState> {
    while (this.#state === since && since.status === 'pending') await this.#next(signal)
    return this.#state
  }

  async submit(text: string, signal: AbortSignal): Promise<SignInState> {
    const answer = this.#answer
    if (!answer) throw new SvcError('SIGN_IN_NOT_ASKED', 'This sign-in does not wait for a code.', { status: 409 })
    answer(text)
    while (this.#state.status === 'pending' && this.#state.prompt === undefined) await this.#next(signal)
    return this.#state
  }

  cancel(): void {
    this.#end({ status: 'cancelled' })
  }

  /** Its time is over. */
  expire(): void {
    this.#end({ status: 'expired', message: 'The sign-in was not completed in time. Begin again.' })
  }

  async #run({ flow, label }: Given): Promise<void> {
    const { signal } = this.#ended
    try {
      const signedIn = await flow.signIn(this.#person(), AbortSignal.any([signal, this.#ctx.signal]))
      // What came too late is not kept.
      signal.throwIfAborted()
      const credential = await this.#ctx.use(Credentials).add({
        provider: flow.provider,
        key: signedIn.accessToken,
        flow: flow.name,
        signedIn,
        ...(label === undefined ? {} : { label }),
      })
      this.#end({ status: 'approved', credential })
    } catch (error) {
      if (signal.aborted) return
      if (errorCode(error) === 'INTERNAL') logFault(this.#ctx.log, `the sign-in ${flow.name} failed`, error)
      const message = this.#ctx.use(Secrets).mask(errorMessage(error))
      this.#end({ status: STATUS[errorCode(error)] ?? 'failed', message })
    }
  }

  #person(): SignInPerson {
    return {
      show: (step) => this.#change({ ...this.#state, step }),
      say: (message) => this.#change({ ...this.#state, message }),
      ask: (prompt, signal) =>
        new Promise((resolve) => {
          const done = (text: string | undefined) => {
            signal?.removeEventListener('abort', leave)
            this.#answer = undefined
            const { prompt: _, ...rest } = this.#state
            this.#change(rest)
            resolve(text)
          }
          const leave = () => done(undefined)
          this.#answer = done
          signal?.addEventListener('abort', leave, { once: true })
          this.#change({ ...this.#state, prompt })
        }),
    }
  }

  #end(last: SignInState): void {
    if (this.#state.status !== 'pending') return
    this.#answer = undefined
    this.#change(last)
    this.#ended.abort(new Error('The sign-in has ended.'))
  }

  #change(state: SignInState): void {
    if (this.#state.status !== 'pending') return
    this.#state = state
    const waiting = this.#waiting
    this.#waiting = new Set()
    for (const wake of waiting) wake()
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(wake)
        reject(signal.reason)
      }
      const wake = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(wake)
    })
  }
}
