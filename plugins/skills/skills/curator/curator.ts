/** Looks after the skills that the agent wrote: archives what is not used, proposes merges, and takes both back. */
import { mkdir, readdir, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type AuxiliaryModels, type Clock, errorMessage, type Logger, logFault, type Random, SvcError } from 'svc/sdk'
import { safeLine } from 'svc/sdk/kit/terminal'
import type { Skill, Skills } from 'svc/sdk/skills'
import type { PluginState } from 'svc/sdk/storage'
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { EditBook, SkillEdit } from '../edits.ts'
import { findWork, MAX_ARCHIVED_PER_DAY, type Proposal, type WrittenSkill } from './decide.ts'
import type { UsageCounter } from './usage.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const proposal = z.object({
  id: z.number(),
  kind: z.enum(['retire', 'merge']),
  skill: z.string(),
  into: z.string().optional(),
  reason: z.string(),
  author: z.literal('model').optional(),
})

export const curatorState = z.object({
  /** Of the last pass; the first one waits for a whole interval. */
  lastRunAt: z.number(),
  runs: z.number(),
  isPaused: z.boolean(),
  pinned: z.array(z.string()),
  /** When skills were archived by passes, of the last day. */
  archivedAt: z.array(z.number()),
  proposals: z.array(proposal),
})
export type CuratorState = z.infer<typeof curatorState>
export const NEW_CURATOR: CuratorState = {
  lastRunAt: 0,
  runs: 0,
  isPaused: false,
  pinned: [],
  archivedAt: [],
  proposals: [],
}

export type StoredProposal = z.infer<typeof proposal>

export interface CuratorDeps {
  readonly config: Config['curator']
  skills(): Skills
  readonly clock: () => Clock
  readonly state: PluginState<CuratorState>
  readonly edits: PluginState<EditBook>
  readonly usage: UsageCounter
  /** `SVC_HOME/skills`. */
  readonly root: string
  readonly random: () => Random
  readonly log: Logger
  /** Names of skills that scheduled jobs use. Throws when they cannot be read. */
  jobSkills(): Promise<ReadonlySet<string>>
  /** Loaded for a consolidation. */
  models(): Promise<AuxiliaryModels | undefined>
}

export interface PassOptions {
  /** Nothing is changed. */
  readonly isDry?: boolean
  /** A model is asked for further proposals, in one call. */
  readonly consolidates?: boolean
  readonly signal?: AbortSignal
}

/** What a pass did. */
export interface Pass {
  readonly archived: readonly string[]
  readonly proposals: readonly Proposal[]
  /** Why no model made proposals; the rest of the pass was done. */
  readonly problem?: string
}

interface Written {
  readonly skill: Skill
  readonly about: WrittenSkill
}

export class Curator {
  readonly #deps: CuratorDeps

  constructor(deps: CuratorDeps) {
    this.#deps = deps
  }

  /** A pass when one is due; `idleMs`: since a turn ended in this process. The first look only begins the first interval. */
  async runWhenDue(idleMs: number, signal?: AbortSignal): Promise<Pass | undefined> {
    const { config, clock, state } = this.#deps
    const { lastRunAt, isPaused } = state.get()
    const now = clock().now()
    if (!config.enabled || isPaused || idleMs < config.min_idle_hours * HOUR_MS) return undefined
    if (lastRunAt === 0) {
      await state.update((value) => ({ ...value, lastRunAt: now }))
      return undefined
    }
    if (now - lastRunAt < config.interval_hours * HOUR_MS) return undefined
    return this.run({ consolidates: config.consolidate, ...(signal && { signal }) })
  }

  /** A pass now. */
  async run({ isDry = false, consolidates = false, signal }: PassOptions): Promise<Pass> {
    const { config, clock, state, skills } = this.#deps
    const now = clock().now()
    const today = state.get().archivedAt.filter((at) => now - at < DAY_MS)
    const written = await this.#listWritten()
    const { archive, proposals: byRules } = findWork(
      written.map(({ about }) => about),
      {
        ...{ now, staleDays: config.stale_after_days, archiveDays: config.archive_after_days },
        room: Math.max(0, MAX_ARCHIVED_PER_DAY - today.length),
      },
    )
    const archived = archive.map(({ name }) => name)
    const kept = written.filter(({ about }) => !archive.includes(about))
    const { proposals, problem } = consolidates
      ? await this.#consolidate(kept, byRules, signal)
      : { proposals: byRules, problem: undefined }
    const pass = { archived, proposals, ...(problem !== undefined && { problem }) }
    if (isDry) return pass
    for (const { skill, about } of written) if (archive.includes(about)) await this.#archive(skill)
    if (archived.length > 0) await skills().reload()
    await state.update((value) => ({
      ...value,
      lastRunAt: now,
      runs: value.runs + 1,
      archivedAt: [...today, ...archived.map(() => now)],
      proposals: proposals.map((each, at) => ({ id: at + 1, ...each })),
    }))
    return pass
  }

  /** Does not throw for a model that fails: the pass is made without its proposals. */
  async #consolidate(
    written: readonly Written[],
    byRules: readonly Proposal[],
    signal: AbortSignal | undefined,
  ): Promise<Pick<Pass, 'proposals' | 'problem'>> {
    const { proposeByModel, joinProposals } = await import('./consolidate.ts')
    try {
      const models = await this.#deps.models()
      if (!models) return { proposals: byRules, problem: 'The plugin auxiliary, which asks models, is not running.' }
      const skills = await Promise.all(
        written.map(async ({ skill, about }) => ({ ...about, body: await this.#readMain(skill) })),
      )
      const byModel = await proposeByModel(models, skills, this.#deps.random(), signal)
      if (!byModel) return { proposals: byRules, problem: 'The answer of the model cannot be read.' }
      return { proposals: joinProposals(byRules, byModel) }
    } catch (error) {
      signal?.throwIfAborted()
      logFault(this.#deps.log, 'no model could propose what to do with skills', error)
      return { proposals: byRules, problem: errorMessage(error) }
    }
  }

  /** SKILL.md with its edits, which is no use of the skill. */
  async #readMain({ folder }: Skill): Promise<string> {
    const { readText } = await import('../folder.ts')
    const { applyEdits, selectEdits } = await import('../edits.ts')
    const edits = selectEdits(this.#deps.edits.get(), folder, 'SKILL.md')
    return applyEdits(await readText(folder, 'SKILL.md'), edits).text ?? ''
  }

  /** Does what a proposal says. Throws `SKILL_NOT_FOUND` for one that is not there, or whose skills are not. */
  async accept(id: number): Promise<StoredProposal> {
    const { state, skills } = this.#deps
    const found = state.get().proposals.find((each) => each.id === id)
    if (!found) throw notFound(`There is no proposal ${id}. svc skills curator status lists them.`)
    const skill = await this.#findWritten(found.skill)
    if (found.kind === 'merge') await this.#merge(skill, await this.#findWritten(found.into ?? ''))
    await this.#archive(skill)
    await skills().reload()
    await state.update((value) => ({ ...value, proposals: value.proposals.filter((each) => each.id !== id) }))
    return found
  }

  /** Names in the archive with when they came there, the newest first. */
  async listArchived(): Promise<readonly { readonly name: string; readonly at: number; readonly folder: string }[]> {
    const archive = join(this.#deps.root, '.archive')
    const names = await readdir(archive).catch(() => [])
    const found = names.flatMap((entry) => {
      const [, name, at] = /^([a-z0-9-]+)-(\d{10,})$/.exec(entry) ?? []
      return name === undefined ? [] : [{ name, at: Number(at), folder: join(archive, entry) }]
    })
    return found.sort((one, two) => two.at - one.at)
  }

  /** Brings the newest archived skill of that name back to where it was. Returns its folder. */
  async restore(name: string): Promise<string> {
    const { edits, root, skills } = this.#deps
    const found = (await this.listArchived()).find((each) => each.name === name)
    if (!found)
      throw notFound(`No archived skill is called ${safeLine(name)}. svc skills curator list-archived names them.`)
    const written = edits.get().created.findLast(({ folder }) => basename(folder) === name)
    const folder = written?.folder ?? join(root, name)
    const isTaken = await stat(folder).then(
      () => true,
      () => false,
    )
    if (isTaken || (await skills().find(name)))
      throw new SvcError(
        'SKILL_DUPLICATE',
        `There is another skill ${name}. Remove or rename it, then restore this one.`,
      )
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
    await rename(found.folder, folder)
    await skills().reload()
    return folder
  }

  /** Archives a skill of the home that a person gives up. Throws `SKILL_NOT_FOUND`, `SKILL_REFUSED`. */
  async retire(name: string): Promise<void> {
    const skill = await this.#deps.skills().find(name)
    if (!skill) throw notFound(`There is no skill ${safeLine(name)}.`)
    const refuse = (why: string) => new SvcError('SKILL_REFUSED', `${skill.name} was not archived: ${why}.`)
    if (skill.origin !== 'user') throw refuse('it was not written here. `svc skills remove` removes what was installed')
    if ((await this.#deps.jobSkills()).has(skill.name)) throw refuse('a scheduled job uses it')
    await this.#archive(skill)
    await this.#deps.skills().reload()
  }

  /** Pinned skills are left alone. Throws `SKILL_NOT_FOUND`. */
  async pin(name: string, isPinned: boolean): Promise<void> {
    if (isPinned && !(await this.#deps.skills().find(name))) throw notFound(`There is no skill ${safeLine(name)}.`)
    await this.#deps.state.update((value) => {
      const others = value.pinned.filter((each) => each !== name)
      const proposals = value.proposals.filter(({ skill, into }) => !isPinned || (skill !== name && into !== name))
      return { ...value, pinned: isPinned ? [...others, name].sort() : others, proposals }
    })
  }

  async pause(isPaused: boolean): Promise<void> {
    await this.#deps.state.update((value) => ({ ...value, isPaused }))
  }

  /** Skills that the agent wrote, that are not pinned and that no job uses. The curator does not touch skills of others. */
  async #listWritten(): Promise<readonly Written[]> {
    const { skills, edits, usage, state } = this.#deps
    const { created, edits: changes } = edits.get()
    const { skills: counts } = usage.read()
    const { pinned } = state.get()
    const own = (await skills().list()).filter(({ trust, name }) => trust === 'model' && !pinned.includes(name))
    // A job would run without what it is about, and no one would see it: what cannot be asked leaves all of them alone.
    const used = own.length > 0 ? await this.#deps.jobSkills() : new Set<string>()
    const written = own.filter(({ name }) => !used.has(name))
    return written.map((skill) => {
      const times = [
        counts[skill.name]?.lastAt ?? 0,
        ...created.filter(({ folder }) => folder === skill.folder).map(({ at }) => at),
        ...changes.filter(({ folder }) => folder === skill.folder).map(({ at }) => at),
      ]
      return { skill, about: { name: skill.name, description: skill.description, lastAt: Math.max(...times) } }
    })
  }

  async #findWritten(name: string): Promise<Skill> {
    const skill = (await this.#listWritten()).find((each) => each.skill.name === name)?.skill
    if (!skill)
      throw notFound(
        `${safeLine(name)} is not among the skills that the agent wrote, or it is pinned, or a scheduled job uses it.`,
      )
    return skill
  }

  async #archive({ name, folder }: Skill): Promise<void> {
    const archive = join(this.#deps.root, '.archive', `${name}-${this.#deps.clock().now()}`)
    await mkdir(dirname(archive), { recursive: true, mode: 0o700 })
    await rename(folder, archive)
  }

  /** The text of one becomes a file of the other, and the other names it: two edits, which can be undone. */
  async #merge(skill: Skill, into: Skill): Promise<void> {
    const { skills, edits, clock } = this.#deps
    const { createTwoFilesPatch } = await import('diff')
    const path = `references/${skill.name}.md`
    const added = `${(await skills().read(skill.name)).text.trim()}\n`
    const main = await this.#readMain(into)
    const after = `${main.trimEnd()}\n\nFor this too, read ${path}: ${skill.description}\n`
    const make = (file: string, before: string, text: string): Omit<SkillEdit, 'id'> => ({
      ...{ skill: into.name, folder: into.folder, path: file, kind: 'write', after: text, at: clock().now() },
      ...{ author: 'curator', reason: `${skill.name} says nearly the same; it is in the archive`, sessionId: '' },
      diff: createTwoFilesPatch(file, file, before, text, undefined, undefined, { context: 2 }),
    })
    const made = [make(path, '', added), make('SKILL.md', main, after)]
    await edits.update((book) => ({
      ...book,
      next: book.next + made.length,
      edits: [...book.edits, ...made.map((each, at) => ({ ...each, id: book.next + at }))],
    }))
  }
}

function notFound(message: string): SvcError {
  return new SvcError('SKILL_NOT_FOUND', message)
}
