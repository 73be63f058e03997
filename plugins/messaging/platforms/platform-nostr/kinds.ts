/** Kinds of events (github.com/nostr-protocol/nips), and events as they are read. */
import { z } from 'zod'

export const PROFILE = 0
export const OLD_MESSAGE = 4
export const SEAL = 13
export const MESSAGE = 14
export const FILE = 15
export const WRAP = 1059
/** Where a person reads direct messages. */
export const RELAY_LIST = 10050
export const AUTH = 22242

const HEX = /^[0-9a-f]{64}$/
const unsigned = z.object({
  pubkey: z.string().regex(HEX),
  created_at: z.number().int().nonnegative(),
  kind: z.number().int().nonnegative(),
  tags: z.array(z.array(z.string())),
  content: z.string(),
})
/** What is inside of a seal; it has no signature. */
export const rumorSchema = unsigned.extend({ id: z.string().regex(HEX).optional() })
export const eventSchema = unsigned.extend({ id: z.string().regex(HEX), sig: z.string().regex(/^[0-9a-f]{128}$/) })

export type Rumor = z.infer<typeof unsigned> & { readonly id: string }
export type NostrEvent = z.infer<typeof eventSchema>

/** What is asked of a relay (NIP-01). */
export interface Filter {
  readonly kinds: number[]
  readonly authors?: string[]
  readonly '#p'?: string[]
  readonly since?: number
  readonly until?: number
  readonly limit?: number
}

/** The value of the first tag with this name. */
export function findTag(tags: readonly (readonly string[])[], name: string): string | undefined {
  return tags.find(([first]) => first === name)?.[1]
}
