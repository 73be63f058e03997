/**
 * Installs skills: what a source delivers goes to a quarantine, is read and scanned there, and is moved among the skills only
 * after a person has seen it. Nothing that a user changed is replaced.
 */
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, errorMessage, type Logger, logFault, type Random, SvcError } from 'svc/sdk'
import { memoizePerTick } from 'svc/sdk/kit/async'
import { withFileLock } from 'svc/sdk/kit/process'
import type { SkillFolder, SkillProvenance, SkillScan, SkillScanner, Skills } from 'svc/sdk/skills'
import type { PluginState } from 'svc/sdk/storage'
import { explainDisk, HubDisk, type RemovedSkill } from './disk.ts'
import type { LockEntry, LockFile } from './lock.ts'
import { type Decision, decideInstall } from './policy.ts'
import { clearQuarantine, openQuarantine } from './quarantine.ts'
import type { ReviewDeps } from './review.ts'
import type { FetchedSkill, SkillSource } from './sources/source.ts'

export interface HubDeps {
  /** `SVC_HOME/skills`. */
  readonly root: string
  readonly state: PluginState<LockFile>
  readonly sources: readonly SkillSource[]
  readonly skills: () => Skills
  readonly scanner: () => SkillScanner
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly models: ReviewDeps['models']
}

/** A skill in quarantine. */
export interface Candidate {
  readonly fetched: FetchedSkill
  readonly folder: string
  readonly skill: SkillFolder
  readonly scan: SkillScan
  readonly decision: Decision
}

export type UpdateStatus = 'up_to_date' | 'update_available' | 'unavailable'

export interface SkillCheck {
  readonly name: string
  readonly entry: LockEntry
  readonly status: UpdateStatus
  /** `missing`: its folder is gone. */
  readonly local: 'unchanged' | 'edited' | 'missing'
  /** Why it is unavailable. */
  readonly reason?: string
  readonly folder: string
}

/** An installed skill, scanned by the rules of today. */
export interface AuditedSkill {
  readonly name: string
  readonly verdict: SkillScan['verdict']
  /** The verdict at its installation. */
  readonly before: SkillScan['verdict']
  readonly isWorse: boolean
  readonly local: SkillCheck['local']
  readonly findings: SkillScan['findings']
}

export interface UnauditedSkill {
  readonly name: string
  /** Why it cannot be scanned. */
  readonly reason: string
}

const VERDICTS = ['safe', 'caution', 'dangerous'] as const

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export class SkillHub {
  readonly #deps: HubDeps
  readonly #disk: HubDisk
  /** Counts the changes of this process, so that none is hidden by what was read before it. */
  #changes = 0
  /** A listing asks for each of its skills, so the file is looked at once for all of them. */
  readonly #readPlaces = memoizePerTick(
    (_changes: number) =>
      new Map(Object.values(this.installed).map((entry) => [join(this.#deps.root, entry.path), entry])),
  )

  constructor(deps: HubDeps) {
    this.#deps = deps
    this.#disk = new HubDisk(deps.root)
  }

  get sources(): readonly SkillSource[] {
    return this.#deps.sources
  }

  get installed(): Readonly<Record<string, LockEntry>> {
    return this.#deps.state.get().skills
  }

  /** The source that the identifier belongs to. Throws `SKILL_SOURCE`. */
  findSource(identifier: string): SkillSource {
    const found = this.#deps.sources.find((source) => source.accepts(identifier))
    if (found) return found
    const forms = this.#deps.sources.map(({ forms: each }) => each).join('; ')
    throw new SvcError('SKILL_SOURCE', `${identifier} names no source. Forms: ${forms}.`, { status: 400 })
  }

  /** Fetches a skill, has it judged, and removes it again when `use` is done. */
  async inspect<T>(identifier: string, signal: AbortSignal, use: (candidate: Candidate) => Promise<T>): Promise<T> {
    const fetched = await this.findSource(identifier).fetch(identifier, signal)
    this.#clearQuarantine()
    const quarantine = this.#disk.path('quarantine', this.#deps.random.hex(8))
    const folder = join(quarantine, toFolderName(fetched.name))
    try {
      this.#write(() => openQuarantine(quarantine))
      this.#write(() => writeFiles(folder, fetched.files))
      const skill = await this.#deps.skills().inspect(folder, { signal })
      const scan = await this.#deps.scanner().scan(folder, { signal })
      return await use({ fetched, folder, skill, scan, decision: decideInstall(fetched.trust, scan.verdict) })
    } finally {
      if (existsSync(quarantine)) rmSync(quarantine, { recursive: true, force: true })
    }
  }

  /** What a killed process left is no reason to refuse a skill. */
  #clearQuarantine(): void {
    try {
      clearQuarantine(this.#disk.path('quarantine'), this.#deps.clock.now())
    } catch (error) {
      this.#deps.log.warn('the quarantine of skills could not be cleared', { error })
    }
  }

  /** The candidate as a model sees it too. Throws as `reviewSkill`. */
  async review(candidate: Candidate, signal: AbortSignal): Promise<Candidate> {
    const { fetched, folder, skill } = candidate
    const { reviewSkill } = await import('./review.ts')
    const scan = await reviewSkill(this.#deps, { folder, files: skill.files, scan: candidate.scan }, signal)
    return { ...candidate, scan, decision: decideInstall(fetched.trust, scan.verdict) }
  }

  /** Where a skill of that name would be, or is. Throws `SKILL_EXISTS` for one that is not from a hub. */
  async findPlace(name: string, category: string | undefined): Promise<string> {
    for (const part of [name, ...(category === undefined ? [] : [category])])
      if (!NAME.test(part) || part.length > 64)
        throw new SvcError('CLI_USAGE', `${part} is no name: use lower-case letters, digits and hyphens.`)
    await this.recover()
    const other = await this.#deps.skills().find(name)
    const path = category === undefined ? name : `${category}/${name}`
    if (other || this.#isTaken(name, path)) throw exists(name, other?.folder)
    return path
  }

  #isTaken(name: string, path: string): boolean {
    return this.installed[name] !== undefined || existsSync(join(this.#deps.root, path))
  }

  /**
   * Moves a candidate among the skills. `path` is relative to the folder of skills; `replaces` is the entry that it takes the place of.
   * Throws `SKILL_EXISTS` for a skill that came while the person was asked, and `SKILL_EDITED` for one that was changed meanwhile.
   */
  async install(
    { fetched, folder, skill, scan }: Candidate,
    name: string,
    path: string,
    replaces?: LockEntry,
  ): Promise<void> {
    await this.#exclusively(async () => {
      const now = this.#deps.clock.now()
      await this.#checkPlace(name, path, replaces)
      const entry: LockEntry = {
        source: fetched.source,
        identifier: fetched.identifier,
        trust: fetched.trust,
        verdict: scan.verdict,
        hash: skill.hash,
        path,
        installedAt: replaces?.installedAt ?? now,
        updatedAt: now,
      }
      const pending = { name, entry, old: `${this.#deps.random.hex(8)}-old` }
      this.#disk.place(folder, pending)
      await this.#update((skills) => ({ ...skills, [name]: entry }))
      this.#disk.finish(pending)
      this.#audit(replaces ? 'update' : 'install', name, entry)
    })
    await this.#deps.skills().reload()
  }

  /** What was seen before the lock was taken may have changed since. */
  async #checkPlace(name: string, path: string, replaces: LockEntry | undefined): Promise<void> {
    if (!replaces) {
      if (this.#isTaken(name, path)) throw exists(name)
      return
    }
    const isSame = this.installed[name]?.hash === replaces.hash
    if (isSame && (await this.#compareLocal(replaces, this.#disk.target(replaces))) === 'unchanged') return
    throw new SvcError(
      'SKILL_EDITED',
      `${name} was changed meanwhile, so it is left as it is. \`svc skills check ${name} --diff\` shows what differs.`,
      { status: 409 },
    )
  }

  /** Ends a move that a crash interrupted: done if the new files are there, undone otherwise. */
  async recover(): Promise<void> {
    if (existsSync(this.#disk.path('pending.json'))) await this.#exclusively(async () => undefined)
  }

  async #finishPending(): Promise<void> {
    const pending = this.#disk.pending()
    if (!pending) return
    const { name, entry } = pending
    if ((await this.#compareLocal(entry, this.#disk.target(entry))) === 'unchanged') {
      await this.#update((skills) => ({ ...skills, [name]: entry }))
      this.#disk.finish(pending)
    } else this.#disk.putBack(pending)
    this.#audit('recover', name, entry)
  }

  /** Compares what is installed with its source. `seen` is called with a newer version while it is in quarantine. */
  async check(
    name: string,
    signal: AbortSignal,
    seen: (newer: Candidate, check: SkillCheck) => Promise<void> = async () => undefined,
  ): Promise<SkillCheck> {
    await this.recover()
    const entry = this.#find(name)
    const folder = this.#disk.target(entry)
    const common = { name, entry, folder, local: await this.#compareLocal(entry, folder) }
    try {
      return await this.inspect(entry.identifier, signal, async (newer) => {
        if (newer.skill.hash === entry.hash) return { ...common, status: 'up_to_date' as const }
        const check = { ...common, status: 'update_available' as const }
        await seen(newer, check)
        return check
      })
    } catch (error) {
      if (!(error instanceof SvcError) || !/^SKILL_(?:SOURCE|SOURCE_FAILED|PACKAGE|INVALID)$/.test(error.code))
        throw error
      logFault(this.#deps.log, 'the source of a skill cannot be read', error, name)
      return { ...common, status: 'unavailable', reason: error.message }
    }
  }

  /** Scans an installed skill again, with the edits of the user; `isDeep`: a model reads it too. */
  async audit(name: string, signal: AbortSignal, isDeep = false): Promise<AuditedSkill> {
    await this.recover()
    const entry = this.#find(name)
    const folder = this.#disk.target(entry)
    const local = await this.#compareLocal(entry, folder)
    if (local === 'missing')
      throw new SvcError('SKILL_NOT_INSTALLED', `The folder of ${name} is gone.`, { status: 404 })
    const scan = await this.#deps.scanner().scan(folder, { signal })
    const { verdict, findings } = isDeep ? await this.#reviewInstalled(folder, scan, signal) : scan
    const isWorse = VERDICTS.indexOf(verdict) > VERDICTS.indexOf(entry.verdict)
    return { name, verdict, before: entry.verdict, isWorse, local, findings }
  }

  async #reviewInstalled(folder: string, scan: SkillScan, signal: AbortSignal): Promise<SkillScan> {
    const { files } = await this.#deps.skills().inspect(folder, { signal })
    const { reviewSkill } = await import('./review.ts')
    return reviewSkill(this.#deps, { folder, files, scan }, signal)
  }

  /** The same for one of several, which the others do not wait for. */
  async tryAudit(name: string, signal: AbortSignal): Promise<AuditedSkill | UnauditedSkill> {
    try {
      return await this.audit(name, signal)
    } catch (error) {
      signal.throwIfAborted()
      logFault(this.#deps.log, 'an installed skill cannot be scanned', error, name)
      return { name, reason: errorMessage(error) }
    }
  }

  async #compareLocal(entry: LockEntry, folder: string): Promise<SkillCheck['local']> {
    if (!existsSync(folder)) return 'missing'
    try {
      return (await this.#deps.skills().inspect(folder)).hash === entry.hash ? 'unchanged' : 'edited'
    } catch (error) {
      // What cannot be read any more was changed.
      this.#deps.log.debug('an installed skill cannot be read', { folder, error: String(error) })
      return 'edited'
    }
  }

  /** The files as they were installed. */
  findBase(name: string): string {
    return this.#disk.base(name)
  }

  #find(name: string): LockEntry {
    const entry = this.installed[name]
    if (entry) return entry
    throw new SvcError('SKILL_NOT_INSTALLED', `No skill ${name} was installed from elsewhere.`, { status: 404 })
  }

  /** Moves the skill away; returns where it is kept. */
  async remove(name: string): Promise<string> {
    let kept = ''
    await this.#exclusively(async () => {
      const entry = this.#find(name)
      kept = this.#disk.remove(name, entry, this.#deps.clock.now())
      await this.#update(({ [name]: _, ...others }) => others)
      this.#audit('remove', name, entry)
    })
    await this.#deps.skills().reload()
    return kept
  }

  /** What can be restored, the newest first. */
  get removed(): readonly RemovedSkill[] {
    return this.#disk.removed()
  }

  /** Takes a removal back, with the edits that the skill had. Throws `SKILL_NOT_INSTALLED` and `SKILL_EXISTS`. */
  async restore(name: string): Promise<LockEntry> {
    const found = this.removed.find((each) => each.name === name)
    if (!found) throw new SvcError('SKILL_NOT_INSTALLED', `No removed skill ${name} is kept.`, { status: 404 })
    await this.findPlace(name, undefined)
    await this.#exclusively(async () => {
      await this.#checkPlace(name, found.entry.path, undefined)
      this.#disk.restore(found)
      await this.#update((skills) => ({ ...skills, [name]: found.entry }))
      this.#audit('restore', name, found.entry)
    })
    await this.#deps.skills().reload()
    return found.entry
  }

  /** For `SkillOrigins`. */
  findOrigin({ folder }: { readonly folder: string }): SkillProvenance | undefined {
    const entry = this.#readPlaces(this.#changes).get(folder)
    return entry && { origin: 'hub', trust: entry.trust, source: entry.identifier }
  }

  async #update(change: (skills: Record<string, LockEntry>) => Record<string, LockEntry>): Promise<void> {
    await this.#deps.state.update((lock) => ({ ...lock, skills: change(lock.skills) }))
    this.#changes += 1
  }

  async #exclusively(work: () => Promise<void>): Promise<void> {
    const { clock, random } = this.#deps
    const onTimeout = () =>
      new SvcError('SKILL_HUB_BUSY', 'Another process is installing or removing a skill. Wait for it.', { status: 409 })
    const file = this.#disk.path('install.lock')
    try {
      await withFileLock({ file, clock, random, onTimeout }, async () => {
        await this.#finishPending()
        await work()
      })
    } catch (error) {
      throw explainDisk(error, this.#deps.root)
    }
  }

  #write(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw explainDisk(error, this.#deps.root)
    }
  }

  #audit(what: string, name: string, { identifier, hash, verdict }: LockEntry): void {
    const line = JSON.stringify({
      at: new Date(this.#deps.clock.now()).toISOString(),
      what,
      name,
      identifier,
      hash,
      verdict,
    })
    appendFileSync(this.#disk.path('audit.log'), `${line}\n`, { mode: 0o600 })
  }
}

function exists(name: string, folder?: string): SvcError {
  return new SvcError(
    'SKILL_EXISTS',
    `There is a skill ${name} already${folder === undefined ? '' : ` in ${folder}`}. Remove it first, or update it with \`svc skills update ${name}\`.`,
    { status: 409 },
  )
}

function toFolderName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 64) || 'skill'
  )
}

/** Programs of others are not executable by themselves. */
function writeFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  if (!files.has('SKILL.md'))
    throw new SvcError(
      'SKILL_PACKAGE',
      `There is no SKILL.md at its top, but ${[...files.keys()].slice(0, 5).join(', ') || 'nothing'}.`,
    )
  for (const [path, data] of files) {
    if (/^[/\\]|(?:^|[/\\])\.\.(?:[/\\]|$)|\0|^[A-Za-z]:/.test(path))
      throw new SvcError('SKILL_PACKAGE', `The path ${path} leads out of the skill.`)
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, data, { mode: 0o600, flag: 'wx' })
  }
}
