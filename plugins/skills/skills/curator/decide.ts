/** What a pass of the curator finds: which skills that the agent wrote are not used any more, and which say nearly the same. */
import { measureLikeness, splitWords } from '../duplicates.ts'

const DAY_MS = 86_400_000
/** A pass moves at most so many skills, and all passes of a day together. */
export const MAX_ARCHIVED_PER_PASS = 5
export const MAX_ARCHIVED_PER_DAY = 10
const MAX_PROPOSALS = 20
/** More are not compared with each other. */
const MAX_COMPARED = 200
/** Below what refuses a new skill: two that grew alike are proposed to be one. */
const MERGE_LIKENESS = 0.5

/** A skill that the agent wrote. */
export interface WrittenSkill {
  readonly name: string
  readonly description: string
  /** When it was written, changed, read or used last. */
  readonly lastAt: number
}

/** `merge`: `skill` becomes a part of `into`. */
export interface Proposal {
  readonly kind: 'retire' | 'merge'
  readonly skill: string
  readonly into?: string
  readonly reason: string
  /** Left out: the rules of this file. */
  readonly author?: 'model'
}

/** `archive` is done by a pass, proposals are for the user to accept. */
export interface Findings {
  readonly archive: readonly WrittenSkill[]
  readonly proposals: readonly Proposal[]
}

export interface Limits {
  readonly now: number
  readonly staleDays: number
  readonly archiveDays: number
  /** Skills that may still be archived today. */
  readonly room: number
}

/** `skills` without pinned ones. */
export function findWork(skills: readonly WrittenSkill[], { now, staleDays, archiveDays, room }: Limits): Findings {
  const idle = ({ lastAt }: WrittenSkill) => (now - lastAt) / DAY_MS
  const oldest = [...skills].sort((one, two) => one.lastAt - two.lastAt)
  const archive = oldest.filter((skill) => idle(skill) >= archiveDays).slice(0, Math.min(room, MAX_ARCHIVED_PER_PASS))
  const rest = oldest.filter((skill) => !archive.includes(skill))
  const retirements = rest
    .filter((skill) => idle(skill) >= staleDays)
    .map(
      (skill): Proposal => ({
        kind: 'retire',
        skill: skill.name,
        reason: `not used for ${Math.floor(idle(skill))} days`,
      }),
    )
  return { archive, proposals: [...findMerges(rest), ...retirements].slice(0, MAX_PROPOSALS) }
}

/** The one that was used less recently goes into the other; each is in one merge only. */
function findMerges(oldest: readonly WrittenSkill[]): readonly Proposal[] {
  const words = oldest.slice(0, MAX_COMPARED).map((skill) => ({ skill, words: splitWords(skill.description) }))
  const taken = new Set<string>()
  return words.flatMap((one, at): Proposal[] => {
    const two = words
      .slice(at + 1)
      .find((other) => !taken.has(other.skill.name) && measureLikeness(one.words, other.words) >= MERGE_LIKENESS)
    if (!two || taken.has(one.skill.name)) return []
    taken.add(one.skill.name).add(two.skill.name)
    return [{ kind: 'merge', skill: one.skill.name, into: two.skill.name, reason: 'they say nearly the same' }]
  })
}
