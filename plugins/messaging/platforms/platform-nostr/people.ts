/** What people publish about themselves: their names (kind 0), and the relays at which they read direct messages (kind 10050). */
import { type Clock, tryParseJson } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { setBounded } from 'svc/sdk/kit/state'
import { z } from 'zod'
import { normalizeRelay } from './account.ts'
import { type NostrEvent, PROFILE, RELAY_LIST } from './kinds.ts'
import type { Relay } from './relay.ts'

export interface Person {
  readonly name?: string
  /** The profile says that it is a program (NIP-24). */
  readonly isBot: boolean
  readonly relays: readonly string[]
}

export interface PeopleDeps {
  readonly clock: Clock
  readonly relays: () => readonly Relay[]
  readonly signal: AbortSignal
}

const MAX_PEOPLE = 1000
const MAX_RELAYS = 5
const KNOWN_MS = 3_600_000
const ANSWER_MS = 5000
const profile = z.object({ name: z.string().optional().catch(undefined), bot: z.boolean().optional().catch(undefined) })

export class People {
  readonly #deps: PeopleDeps
  readonly #known: Map<string, { readonly person: Promise<Person>; readonly until: number }> = new Map()

  constructor(deps: PeopleDeps) {
    this.#deps = deps
  }

  /** Asked once an hour. Nothing is known of a person of whom no relay says anything. */
  find(pubkey: string): Promise<Person> {
    const now = this.#deps.clock.monotonic()
    const known = this.#known.get(pubkey)
    if (known && known.until > now) return known.person
    const person = this.#ask(pubkey)
    setBounded(this.#known, pubkey, { person, until: now + KNOWN_MS }, MAX_PEOPLE)
    return person
  }

  async #ask(pubkey: string): Promise<Person> {
    const { clock, relays, signal } = this.#deps
    const filter = { kinds: [PROFILE, RELAY_LIST], authors: [pubkey] }
    const asked = relays().map((relay) => relay.query([filter]).catch(() => []))
    const answers = await Promise.all(asked.map((each) => waitAtMost(clock, ANSWER_MS, each, { signal })))
    const events = answers.flatMap((each) => each ?? []).filter((event) => event.pubkey === pubkey)
    const { name, bot } = profile.safeParse(tryParseJson(newest(events, PROFILE)?.content ?? '')?.value).data ?? {}
    return { ...(name && { name }), isBot: bot === true, relays: readRelays(newest(events, RELAY_LIST)) }
  }
}

/** Of replaceable events the one that stands (NIP-01). */
export function newest(events: readonly NostrEvent[], kind: number): NostrEvent | undefined {
  return events
    .filter((event) => event.kind === kind)
    .sort((one, two) => two.created_at - one.created_at || (one.id < two.id ? -1 : 1))[0]
}

function readRelays(list: NostrEvent | undefined): readonly string[] {
  const named = list?.tags.flatMap(([tag, url = '']) => (tag === 'relay' ? (normalizeRelay(url) ?? []) : [])) ?? []
  return [...new Set(named)].slice(0, MAX_RELAYS)
}
