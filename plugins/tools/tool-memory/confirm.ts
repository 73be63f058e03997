/** `/memory confirm`: the user confirms entries that were added while no person could be asked. */
import { parseEntries } from './entries.ts'
import { changeEntries, memoryFile, readMemory } from './memory-file.ts'
import { formatEntry, parseEntry } from './provenance.ts'
import type { MemoryDeps, Target } from './tools.ts'

const TARGETS: readonly Target[] = ['memory', 'user']

/** Lists what waits, or confirms the entry of this number. */
export function confirmEntry(deps: MemoryDeps, wanted: string): string {
  const waiting = TARGETS.flatMap((target) =>
    parseEntries(readMemory(memoryFile(deps, target)))
      .filter((entry) => !parseEntry(entry).isConfirmed)
      .map((entry) => ({ target, entry })),
  )
  if (waiting.length === 0) return 'No entry waits for you.'
  const chosen = /^\d{1,4}$/.test(wanted) ? waiting[Number(wanted) - 1] : undefined
  if (!chosen) {
    const list = waiting.map(({ entry }, at) => `${at + 1}. ${deps.mask(entry)}`)
    return `These are not told to the agent yet. To tell one: /memory confirm NUMBER\n\n${list.join('\n')}`
  }
  const confirmed = formatEntry({ ...parseEntry(chosen.entry), isConfirmed: true })
  changeEntries(deps, chosen.target, (old) => old.map((entry) => (entry === chosen.entry ? confirmed : entry)))
  return `Confirmed: ${deps.mask(parseEntry(chosen.entry).content)}`
}
