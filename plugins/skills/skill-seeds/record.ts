/** Tells the list of skills which of them are built in. */
import { statSync } from 'node:fs'
import { memoizePerTick } from 'svc/sdk/kit/async'
import type { SkillOriginRecord } from 'svc/sdk/skills'
import { manifestFile, readManifest } from './manifest.ts'

/** `root` is asked when skills are scanned. */
export function seedRecord(name: string, root: () => string): SkillOriginRecord {
  let known: { readonly mark: string; readonly names: ReadonlySet<string> } = { mark: '', names: new Set() }
  const readNames = memoizePerTick((folder: string) => {
    const stats = statSync(manifestFile(folder), { throwIfNoEntry: false })
    const mark = stats ? `${folder} ${stats.mtimeMs} ${stats.size} ${stats.ino}` : ''
    if (mark !== known.mark) known = { mark, names: new Set(stats ? readManifest(folder).origins.keys() : []) }
    return known.names
  })
  return {
    name,
    find: (skill) =>
      readNames(root()).has(skill.name) ? { origin: 'builtin', trust: 'builtin', source: 'svc' } : undefined,
  }
}
