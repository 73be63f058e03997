/** Changes of what is remembered by the person it is about. */
import { SvcError } from 'svc/sdk'
import { countCharacters, parseEntries } from './entries.ts'
import { changeEntries } from './memory-file.ts'
import { claimsOrigin, parseEntry } from './provenance.ts'
import type { MemoryDeps, Target } from './tools.ts'

/** Throws `MEMORY_FULL` for more than a file may hold: each session starts with all of it. */
export function change(deps: MemoryDeps, target: Target, work: (old: readonly string[]) => readonly string[]): void {
  changeEntries(deps, target, (old) => {
    const entries = work(old)
    const [before, after, limit] = [countCharacters(old), countCharacters(entries), deps.limits[target]]
    if (after <= limit || after <= before) return entries
    const message = `There is room for ${limit} characters, and that would be ${after}. Shorten or remove entries first.`
    throw new SvcError('MEMORY_FULL', message, { status: 409 })
  })
}

/** Throws `MEMORY_INPUT` for a text that the file would not give back as it is. */
export function requireEntry(content: string): string {
  if (parseEntries(content).length === 1 && parseEntries(content)[0] === content && !claimsOrigin(content))
    return content
  const message = 'The text has a line of its own with §, or poses as an entry with an origin. Leave that out.'
  throw new SvcError('MEMORY_INPUT', message, { status: 400 })
}

/** As it was shown. Throws `MEMORY_NOT_FOUND`. */
export function findEntry(deps: MemoryDeps, entries: readonly string[], content: string): number {
  const at = entries.findIndex((entry) => deps.mask(parseEntry(entry).content) === content)
  if (at >= 0) return at
  throw new SvcError('MEMORY_NOT_FOUND', 'There is no such entry any more: it was changed or removed meanwhile.', {
    status: 404,
  })
}
