/** Accounts that are being linked to a phone: each waits until the phone has scanned its code, or the time is over. */
import { Clock, type Dispose, errorMessage, Random, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Gateway, type Platform, Platforms } from 'svc/sdk/platform'
import type { PhoneLinking } from 'svc/sdk/sign-in'
import type { Context } from './platforms.ts'

const WAIT_MS = 300_000
/** Also those that are over: a page may ask for them once more. */
const MAX_LINKS = 20

/** One attempt. */
export interface PendingLink {
  readonly id: string
  readonly platform: string
  readonly variable: string
  readonly instructions: string
  readonly address: string
  readonly expiresAt: number
  state: 'waiting' | 'ready' | 'failed'
  /** Once it is `ready`. */
  account?: string
  /** Once it has failed. */
  problem?: string
  cancel(): void
}

export class PhoneLinks {
  readonly #ctx: Context
  readonly #links: Map<string, PendingLink> = new Map()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Undefined where a platform is not linked to a phone. */
  async linking(name: string): Promise<PhoneLinking | undefined> {
    return (await this.#platform(name))?.linking
  }

  /** An earlier attempt of the platform is ended. Throws `DASHBOARD_PHONE`, and what the platform throws. */
  async start(name: string, values: Readonly<Record<string, string>>): Promise<PendingLink> {
    const linking = await this.linking(name)
    if (!linking) throw new SvcError('DASHBOARD_PHONE', `${name} is not linked to a phone.`, { status: 409 })
    for (const each of this.#links.values()) if (each.platform === name) this.remove(each.id)
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, this.#ctx.signal])
    const { address, account } = await linking.start({ values, signal })
    const clock = this.#ctx.use(Clock)
    const late: Dispose = clock.after(WAIT_MS, () => stop.abort(), { background: true })
    const link: PendingLink = {
      ...{ id: this.#ctx.use(Random).uuid(), platform: name, address, expiresAt: clock.now() + WAIT_MS },
      ...{ variable: linking.variable, instructions: linking.instructions, state: 'waiting' },
      cancel: () => stop.abort(),
    }
    void account
      .then(
        (found) => Object.assign(link, { state: 'ready', account: found }),
        (error: unknown) => {
          const problem = stop.signal.aborted ? 'No phone has scanned the code in time.' : errorMessage(error)
          Object.assign(link, { state: 'failed', problem })
        },
      )
      .finally(() => void late())
    this.#links.set(link.id, link)
    for (const [old] of [...this.#links].slice(0, -MAX_LINKS)) this.remove(old)
    return link
  }

  /** Throws `DASHBOARD_PHONE_LINK`. */
  find(platform: string, id: string): PendingLink {
    const found = this.#links.get(id)
    if (found?.platform === platform) return found
    throw new SvcError('DASHBOARD_PHONE_LINK', `No account of ${platform} is being linked under this id.`, {
      status: 404,
    })
  }

  remove(id: string): void {
    this.#links.get(id)?.cancel()
    this.#links.delete(id)
  }

  /** Platforms come along with the gateway, which is not started here. */
  async #platform(name: string): Promise<Platform | undefined> {
    await this.#ctx.use(Plugins).bring(Gateway)
    return this.#ctx.all(Platforms).get(name)
  }
}
