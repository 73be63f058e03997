/** Who wrote what in a prompt that was built earlier. Pure. */
import type { PartText } from './prompt-parts.ts'

/** A stretch of a prompt, by character offsets. `plugin` and `name` list every part it may be from. */
export interface Stretch {
  readonly name: string
  readonly tier: string
  readonly plugin: string
  readonly start: number
  readonly end: number
}

const SEPARATOR = '\n\n'

/**
 * Finds the parts in the prompt, in order. What none of them says any more was said by one that is not found: a part
 * that has changed since, or was never the same twice, is named by the place it left.
 */
export function locate(prompt: string, parts: readonly PartText[]): Stretch[] {
  const stretches: Stretch[] = []
  let from = 0
  let missing: PartText[] = []
  for (const part of parts) {
    const start = part.text ? find(prompt, part.text, from) : -1
    if (start < 0) {
      missing.push(part)
      continue
    }
    stretches.push(...gap(prompt, from, start, missing))
    missing = []
    from = Math.min(prompt.length, start + part.text.length + SEPARATOR.length)
    const { name, tier, plugin } = part
    stretches.push({ name, tier, plugin, start, end: start + part.text.length })
  }
  return [...stretches, ...gap(prompt, from, prompt.length, missing)]
}

/** Matches the text only as a whole paragraph, so that a short one is not found inside another. */
function find(prompt: string, text: string, from: number): number {
  for (let at = prompt.indexOf(text, from); at >= 0; at = prompt.indexOf(text, at + 1)) {
    const end = at + text.length
    const begins = at === from || prompt.startsWith(SEPARATOR, at - SEPARATOR.length)
    if (begins && (end === prompt.length || prompt.startsWith(SEPARATOR, end))) return at
  }
  return -1
}

function gap(prompt: string, start: number, next: number, missing: readonly PartText[]): Stretch[] {
  const end = next === prompt.length ? next : next - SEPARATOR.length
  if (end <= start) return []
  // A part that says nothing now may have spoken then; one that says something else is the likelier.
  const spoken = missing.filter((part) => part.text)
  const suspects = spoken.length ? spoken : missing
  const list = (of: (part: PartText) => string) => [...new Set(suspects.map(of))].join(' or ') || 'unknown'
  const tier = list((part) => part.tier)
  return [{ name: list((part) => part.name), tier, plugin: list((part) => part.plugin), start, end }]
}
