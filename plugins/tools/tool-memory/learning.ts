/** What is remembered, for the journey. What is removed there stays in a list of its own for a while. */
import { createHash } from 'node:crypto'
import { SvcError, type Translate } from 'svc/sdk'
import type { LearnedEntry, LearningSource } from 'svc/sdk/skills'
import type { PluginState } from 'svc/sdk/storage'
import { z } from 'zod'
import { parseEntries } from './entries.ts'
import { memoryFile, readMemory } from './memory-file.ts'
import { change, requireEntry } from './personal-changes.ts'
import { parseEntry } from './provenance.ts'
import type { MemoryDeps, Target } from './tools.ts'

const TARGETS: readonly Target[] = ['user', 'memory']
/** Of the newest entries that were removed. */
const MAX_REMOVED = 50
const MAX_TITLE = 100

export const removedEntries = z.array(
  z.object({ id: z.string(), target: z.enum(['memory', 'user']), entry: z.string() }),
)
export type RemovedEntries = z.infer<typeof removedEntries>

interface Found {
  readonly id: string
  readonly target: Target
  /** As it is in the file. */
  readonly entry: string
}

export function createLearningSource(
  deps: MemoryDeps,
  { removed, t }: { readonly removed: PluginState<RemovedEntries>; readonly t: Translate },
): LearningSource {
  const list = () => TARGETS.flatMap((target) => readTarget(deps, target))
  const find = (id: string) => {
    const found = list().find((each) => each.id === id)
    if (found) return found
    throw notFound()
  }
  return {
    ...{ name: 'memory', kind: 'memory', title: () => t('Memories') },
    list: async () => list().map((found) => toEntry(deps, found)),
    read: async (id) => deps.mask(parseEntry(find(id).entry).content),
    async edit(id, { before, after }) {
      const { target, entry } = find(id)
      const { content } = parseEntry(entry)
      const next = requireEntry(after.trim())
      if (before !== undefined && before !== deps.mask(content)) throw notFound()
      if (deps.mask(content) !== content) {
        const message = 'The entry holds a secret, which would be lost. Edit the file itself, or forget the entry.'
        throw new SvcError('MEMORY_REFUSED', message, { status: 409 })
      }
      // What a person wrote is the person's own.
      change(deps, target, (old) => old.map((each) => (each === entry ? next : each)))
      return createId(target, next)
    },
    async remove(id) {
      const { target, entry } = find(id)
      await removed.update((old) =>
        [{ id, target, entry }, ...old.filter((each) => each.id !== id)].slice(0, MAX_REMOVED),
      )
      change(deps, target, (old) => old.filter((each) => each !== entry))
    },
    async restore(id) {
      const found = removed.get().find((each) => each.id === id)
      if (!found) throw notFound()
      change(deps, found.target, (old) => (old.includes(found.entry) ? old : [...old, found.entry]))
      await removed.update((old) => old.filter((each) => each.id !== id))
    },
  }
}

function readTarget(deps: MemoryDeps, target: Target): Found[] {
  const entries = parseEntries(readMemory(memoryFile(deps, target)))
  return [...new Set(entries)].map((entry) => ({ id: createId(target, entry), target, entry }))
}

/** The entry has no name: another text is another entry. */
function createId(target: Target, entry: string): string {
  return `${target}-${createHash('sha256').update(entry).digest('hex').slice(0, 16)}`
}

function toEntry(deps: MemoryDeps, { id, entry }: Found): LearnedEntry {
  const { content, isConfirmed } = parseEntry(entry)
  const text = deps.mask(content)
  const [line = ''] = text.trim().split('\n')
  const short = line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE)}…` : line
  const title = isConfirmed ? short : `${short} (not confirmed)`
  return { id, title, text, canEdit: text === content, canRemove: true }
}

function notFound(): SvcError {
  const message = 'There is no such entry any more: it was changed or removed meanwhile.'
  return new SvcError('MEMORY_NOT_FOUND', message, { status: 404 })
}
