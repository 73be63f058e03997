/** The folders that skills come from, in the order in which they count. */
import { isAbsolute } from 'node:path'
import type { ContributionRegistry } from 'svc/sdk/host'
import type { SkillDir, SkillOriginRecord, SkillProvenance } from 'svc/sdk/skills'
import type { SkillRoot } from './library.ts'

export interface RootSources {
  /** `SVC_HOME/skills`. */
  readonly home: string
  /** Folders of skills that a model wrote. */
  readonly created: readonly string[]
  /** Absolute paths of further folders of the user. */
  readonly folders: readonly string[]
  readonly dirs: ContributionRegistry<SkillDir>
  readonly records: ContributionRegistry<SkillOriginRecord>
}

const OWN: SkillProvenance = { origin: 'user', trust: 'user' }
const WRITTEN: SkillProvenance = { origin: 'user', trust: 'model', source: 'the agent' }

export function collectRoots({ home, created, folders, dirs, records }: RootSources): readonly SkillRoot[] {
  const recorded = (skill: { readonly name: string; readonly folder: string }) => {
    for (const record of records.all()) {
      const found = records.attempt(record, () => record.find(skill))
      if (found) return found
    }
    return undefined
  }
  const own = [home, ...folders].map(
    (path) =>
      ({
        path,
        provenance: (skill) => recorded(skill) ?? (created.includes(skill.folder) ? WRITTEN : OWN),
      }) satisfies SkillRoot,
  )
  const ofPlugins = dirs
    .all()
    .filter(({ path }) => isAbsolute(path))
    .map(({ name, path, trust = 'community' }) => {
      const plugin = dirs.owner(name)
      const standard: SkillProvenance = { origin: 'plugin', trust, ...(plugin && { source: `plugin ${plugin}` }) }
      return { path, provenance: (skill) => recorded(skill) ?? standard } satisfies SkillRoot
    })
  return [...own, ...ofPlugins]
}
