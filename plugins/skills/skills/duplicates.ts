/** Finds a skill that says nearly the same as a new one: two skills for one kind of work make models choose badly. */
import type { SkillHeader } from 'svc/sdk/skills'

/** Shared words of all words, from which on two descriptions or two texts are taken as the same. */
const DESCRIPTION_LIKENESS = 0.7
const BODY_LIKENESS = 0.6

export interface Described {
  readonly header: Pick<SkillHeader, 'name' | 'description'>
  readonly body: string
}

export function findDuplicate<Known extends Described>(fresh: Described, known: readonly Known[]): Known | undefined {
  const description = splitWords(fresh.header.description)
  const body = splitPhrases(fresh.body)
  return known.find(
    (each) =>
      each.header.name === fresh.header.name ||
      measureLikeness(description, splitWords(each.header.description)) >= DESCRIPTION_LIKENESS ||
      (body.size > 3 && measureLikeness(body, splitPhrases(each.body)) >= BODY_LIKENESS),
  )
}

/** Shared words of all words, from 0 to 1. */
export function measureLikeness(one: ReadonlySet<string>, two: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => two.has(word)).length
  return shared / Math.max(1, one.size + two.size - shared)
}

function listWords(text: string): readonly string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  return plain.match(/[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[\p{L}\p{M}\p{N}]+/gu) ?? []
}

export function splitWords(text: string): ReadonlySet<string> {
  return new Set(listWords(text))
}

/** Three words each: texts about one subject share words, copies share phrases. */
function splitPhrases(text: string): ReadonlySet<string> {
  const words = listWords(text)
  return new Set(words.slice(2).map((word, at) => `${words[at]} ${words[at + 1]} ${word}`))
}
