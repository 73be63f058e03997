/** What a person decided about skills of projects: by the real folder of a skill, for the content that it had. */
import type { PluginState } from 'svc/sdk/storage'
import { z } from 'zod'

/** Characters of SKILL.md that are kept to show what has changed. */
const MAX_KEPT = 20_000
/** Older decisions are forgotten, and asked for again. */
const MAX_DECISIONS = 500

const decision = z.object({
  hash: z.string(),
  isAgreed: z.boolean(),
  /** SKILL.md as it was. */
  text: z.string(),
  at: z.number(),
})
export type Decision = z.infer<typeof decision>

export const agreements = z.record(z.string(), decision)
export type Agreements = z.infer<typeof agreements>

/** A skill, as far as a decision is about it. */
export interface Decided {
  /** The real path. */
  readonly folder: string
  readonly hash: string
  /** SKILL.md. */
  readonly text: string
}

/** Keeps one decision about several skills. */
export async function decide(
  state: PluginState<Agreements>,
  skills: readonly Decided[],
  { isAgreed, at }: Pick<Decision, 'isAgreed' | 'at'>,
): Promise<void> {
  const fresh = skills.map(({ folder, hash, text }) => [folder, { hash, isAgreed, text: text.slice(0, MAX_KEPT), at }])
  await state.update((all) => keepNewest({ ...all, ...Object.fromEntries(fresh) }))
}

/** Forgets the decisions about these folders; those that there were. */
export async function forget(state: PluginState<Agreements>, folders: readonly string[]): Promise<readonly string[]> {
  const known = folders.filter((folder) => Object.hasOwn(state.get(), folder))
  if (known.length > 0)
    await state.update((all) => Object.fromEntries(Object.entries(all).filter(([folder]) => !known.includes(folder))))
  return known
}

function keepNewest(all: Agreements): Agreements {
  const entries = Object.entries(all)
  if (entries.length <= MAX_DECISIONS) return all
  return Object.fromEntries(entries.sort(([, one], [, two]) => two.at - one.at).slice(0, MAX_DECISIONS))
}
