/**
 * Names of people, for people (docs.slack.dev/reference/methods/users.info). Without the scope `users:read` names are
 * not available.
 */
import { classifyDeliveryError } from 'svc/sdk/platform'
import { z } from 'zod'
import type { SlackApi } from './api.ts'

const MAX_REMEMBERED = 1000
/** It was not reported this time. */
const LATER = Symbol('later')

const answer = z.object({
  user: z.object({
    name: z.string().optional(),
    profile: z.object({ display_name: z.string().optional(), real_name: z.string().optional() }).optional(),
  }),
})

export class People {
  readonly #api: SlackApi
  readonly #names: Map<string, string | undefined> = new Map()

  constructor(api: SlackApi) {
    this.#api = api
  }

  /** Asked for once. Undefined when Slack does not say it: no message waits for a name. */
  async findName(userId: string): Promise<string | undefined> {
    if (this.#names.has(userId)) return this.#names.get(userId)
    const asked = this.#api.call('users.info', { user: userId }, answer)
    const name = await asked.then(
      ({ user: { name, profile } }) => profile?.display_name || profile?.real_name || name,
      (error: unknown) => (classifyDeliveryError(error).kind === 'refused' ? undefined : LATER),
    )
    if (name === LATER) return undefined
    const [oldest] = this.#names.keys()
    if (this.#names.size >= MAX_REMEMBERED && oldest !== undefined) this.#names.delete(oldest)
    this.#names.set(userId, name)
    return name
  }
}
