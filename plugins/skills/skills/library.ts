/** All skills of this home: found in their folders, read again where a file changed. */
import { type Clock, errorMessage, type Logger } from 'svc/sdk'
import type { Skill, SkillChanges, SkillProblem, SkillProvenance } from 'svc/sdk/skills'
import { discover, type FoundSkill } from './discover.ts'
import type { HeaderCache } from './header-cache.ts'

/** For so long a scan is taken as the present state, unless it is asked for. */
const FRESH_MS = 2000

/** A folder of skills, and what is known of those in it. */
export interface SkillRoot {
  readonly path: string
  provenance(skill: { readonly name: string; readonly folder: string }): SkillProvenance
}

/** What a library works with. */
export interface LibraryDeps {
  readonly clock: () => Clock
  readonly log: Logger
  readonly headers: HeaderCache
  /** The first that has a skill of a name has the say. */
  roots(): readonly SkillRoot[]
}

interface Listed {
  readonly skill: Skill
  /** Tells one state of the file from another. */
  readonly mark: string
}

interface Snapshot {
  readonly at: number
  readonly skills: ReadonlyMap<string, Listed>
  readonly problems: readonly SkillProblem[]
}

export class SkillLibrary {
  readonly #deps: LibraryDeps
  readonly #listeners: Set<(changes: SkillChanges) => void> = new Set()
  #snapshot: Snapshot | undefined
  #scanning: Promise<SkillChanges> | undefined

  constructor(deps: LibraryDeps) {
    this.#deps = deps
  }

  /** Those of the last scan, at once; empty before the first. */
  known(): readonly Skill[] {
    return [...(this.#snapshot?.skills.values() ?? [])].map(({ skill }) => skill)
  }

  async all(): Promise<readonly Skill[]> {
    await this.#refresh()
    return this.known()
  }

  async problems(): Promise<readonly SkillProblem[]> {
    await this.#refresh()
    return this.#snapshot?.problems ?? []
  }

  async #refresh(): Promise<void> {
    const age = this.#deps.clock().monotonic() - (this.#snapshot?.at ?? Number.NEGATIVE_INFINITY)
    if (age >= FRESH_MS) await (this.#scanning ?? this.scan())
  }

  /** Looks at all folders now. A scan under way may have passed what changed, so another follows it. */
  async scan(): Promise<SkillChanges> {
    await this.#scanning?.catch(() => undefined)
    this.#scanning ??= this.#scan().finally(() => {
      this.#scanning = undefined
    })
    return this.#scanning
  }

  onChange(listener: (changes: SkillChanges) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async #scan(): Promise<SkillChanges> {
    const { clock, headers } = this.#deps
    const skills = new Map<string, Listed>()
    const problems: SkillProblem[] = []
    const files = new Set<string>()
    for (const root of this.#deps.roots())
      for (const found of await this.#discover(root.path, problems)) {
        files.add(found.file)
        const { header, problem } = await headers.read(found)
        if (problem !== undefined) problems.push({ folder: found.folder, reason: problem })
        if (header && !skills.has(header.name)) skills.set(header.name, list(found, header, root))
      }
    await headers.save(files)
    const before = this.#snapshot?.skills
    const sorted = new Map([...skills].sort(([one], [two]) => (one < two ? -1 : 1)))
    this.#snapshot = { at: clock().monotonic(), skills: sorted, problems }
    const changes = compare(before ?? sorted, sorted)
    if (changes.added.length + changes.removed.length + changes.changed.length > 0 || before === undefined)
      for (const listener of this.#listeners) listener(changes)
    return changes
  }

  async #discover(path: string, problems: SkillProblem[]): Promise<readonly FoundSkill[]> {
    try {
      return await discover(path)
    } catch (error) {
      this.#deps.log.warn('a folder of skills cannot be read', { folder: path, error })
      problems.push({ folder: path, reason: errorMessage(error) })
      return []
    }
  }
}

function list(
  { folder, category, mtimeMs, size }: FoundSkill,
  header: Parameters<typeof create>[0],
  root: SkillRoot,
): Listed {
  const skill = create(header, folder, category, root.provenance({ name: header.name, folder }))
  return { skill, mark: `${folder}:${mtimeMs}:${size}:${skill.origin}:${skill.trust}` }
}

function create(
  header: Omit<Skill, keyof SkillProvenance | 'category' | 'folder' | 'isDisabled' | 'unavailable'>,
  folder: string,
  category: string | undefined,
  provenance: SkillProvenance,
): Skill {
  return { ...header, ...provenance, folder, isDisabled: false, ...(category !== undefined && { category }) }
}

function compare(before: ReadonlyMap<string, Listed>, after: ReadonlyMap<string, Listed>): SkillChanges {
  const added = [...after.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !after.has(name))
  const changed = [...after].flatMap(([name, { mark }]) => {
    const known = before.get(name)
    return known && known.mark !== mark ? [name] : []
  })
  return { added, removed, changed, total: after.size }
}
