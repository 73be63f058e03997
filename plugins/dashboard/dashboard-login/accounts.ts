/** Who signs in with a password: names and hashes, in the home. */
import { type Random, SvcError } from 'svc/sdk'
import type { PluginState } from 'svc/sdk/storage'
import { z } from 'zod'
import { hashPassword, isPassword } from './password.ts'

export const accountsSchema = z.array(z.object({ name: z.string(), hash: z.string(), changedAt: z.number() }))
type Account = z.infer<typeof accountsSchema>[number]

/** Node runs four at a time, of 32 MiB and a part of a second each; the others wait. */
const MAX_CHECKS = 32

export class Accounts {
  readonly #state: PluginState<Account[]>
  #checks = 0

  constructor(state: PluginState<Account[]>) {
    this.#state = state
  }

  list(): readonly Account[] {
    return this.#state.get()
  }

  /** Throws `LOGIN_PASSWORD_WEAK`. */
  async set(name: string, password: string, { now, random }: { now: number; random: Random }): Promise<void> {
    const account = { name, hash: await hashPassword(password, random), changedAt: now }
    await this.#state.update((all) => [...all.filter((each) => each.name !== name), account])
  }

  /** Throws `LOGIN_PERSON_UNKNOWN`. */
  async remove(name: string): Promise<void> {
    const isThere = (each: Account) => each.name === name
    if (!this.list().some(isThere)) {
      throw new SvcError(
        'LOGIN_PERSON_UNKNOWN',
        `"${name}" has no password. \`svc dashboard logins\` lists who has one.`,
      )
    }
    await this.#state.update((all) => all.filter((each) => !isThere(each)))
  }

  /** Throws `LOGIN_BUSY`. */
  async isRight(name: string, password: string): Promise<boolean> {
    if (this.#checks >= MAX_CHECKS)
      throw new SvcError('LOGIN_BUSY', 'Too many people sign in at this moment. Try again.', { status: 503 })
    this.#checks++
    try {
      return await isPassword(password, this.list().find((each) => each.name === name)?.hash)
    } finally {
      this.#checks--
    }
  }
}
