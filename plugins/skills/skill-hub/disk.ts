/**
 * The files of the hub: moves of skills that a crash at any moment leaves undone or done, and what was removed. All of it is called by
 * the holder of the lock of installations only.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import { z } from 'zod'
import { entrySchema, type LockEntry } from './lock.ts'

const pendingSchema = z.object({ name: z.string(), entry: entrySchema, old: z.string() })
const removedSchema = z.object({ name: z.string(), at: z.number(), entry: entrySchema })

/** A move that was begun. */
export type Pending = z.infer<typeof pendingSchema>

export interface RemovedSkill extends z.infer<typeof removedSchema> {
  readonly folder: string
}

export class HubDisk {
  /** `SVC_HOME/skills`. */
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  path(...parts: string[]): string {
    return join(this.#root, '.hub', ...parts)
  }

  target({ path }: LockEntry): string {
    return join(this.#root, path)
  }

  /** The files as they were installed. */
  base(name: string): string {
    return this.path('base', name)
  }

  /** Moves the folder to where the entry says. What was there is kept until `finish`. */
  place(folder: string, pending: Pending): void {
    const target = this.target(pending.entry)
    mkdirSync(this.path(), { recursive: true, mode: 0o700 })
    writeAtomicallySync(this.path('pending.json'), JSON.stringify(pending))
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    if (existsSync(target)) renameSync(target, this.path('quarantine', pending.old))
    try {
      renameSync(folder, target)
    } catch (error) {
      this.putBack(pending)
      throw error
    }
  }

  /** What was there before is there again, if nothing else is. */
  putBack(pending: Pending): void {
    const old = this.path('quarantine', pending.old)
    const target = this.target(pending.entry)
    if (existsSync(old) && !existsSync(target)) renameSync(old, target)
    rmSync(this.path('pending.json'), { force: true })
  }

  /** After the record has the entry. */
  finish({ name, entry, old }: Pending): void {
    const base = this.base(name)
    mkdirSync(dirname(base), { recursive: true, mode: 0o700 })
    rmSync(base, { recursive: true, force: true })
    cpSync(this.target(entry), base, { recursive: true })
    rmSync(this.path('quarantine', old), { recursive: true, force: true })
    rmSync(this.path('pending.json'), { force: true })
  }

  /** A move that a crash interrupted. */
  pending(): Pending | undefined {
    return readJson(this.path('pending.json'), pendingSchema)
  }

  /** Moves a skill aside with what is needed to restore it; returns where its files are kept. */
  remove(name: string, entry: LockEntry, at: number): string {
    const kept = this.path('removed', `${name}-${at}`)
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 })
    writeAtomicallySync(`${kept}.json`, JSON.stringify({ name, at, entry }))
    if (existsSync(this.base(name))) renameSync(this.base(name), `${kept}.base`)
    if (existsSync(this.target(entry))) renameSync(this.target(entry), kept)
    return kept
  }

  /** The newest first. */
  removed(): readonly RemovedSkill[] {
    const dir = this.path('removed')
    if (!existsSync(dir)) return []
    const found = readdirSync(dir).flatMap((file) => {
      const record = file.endsWith('.json') ? readJson(join(dir, file), removedSchema) : undefined
      const folder = join(dir, file.slice(0, -'.json'.length))
      return record && existsSync(folder) ? [{ ...record, folder }] : []
    })
    return found.sort((one, two) => two.at - one.at)
  }

  /** Moves a removed skill to where it was. */
  restore({ name, entry, folder }: RemovedSkill): void {
    const base = this.base(name)
    mkdirSync(dirname(this.target(entry)), { recursive: true, mode: 0o700 })
    mkdirSync(dirname(base), { recursive: true, mode: 0o700 })
    renameSync(folder, this.target(entry))
    if (existsSync(`${folder}.base`)) renameSync(`${folder}.base`, base)
    rmSync(`${folder}.json`, { force: true })
  }
}

function readJson<T>(file: string, schema: { safeParse(value: unknown): { data?: T } }): T | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const REFUSALS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EIO'])

/** A disk that cannot be written, in words; other errors as they are. */
export function explainDisk(error: unknown, root: string): unknown {
  const { code = '', message, syscall } = (error ?? {}) as NodeJS.ErrnoException
  // Node says so of folders that it is to make with those above them on a read-only disk.
  const isRefusal = REFUSALS.has(code) || (code === 'ENOENT' && syscall === 'mkdir')
  if (!isRefusal) return error
  return new SvcError('SKILL_HUB_DISK', `${root} cannot be written (${message}). Nothing was installed or removed.`, {
    cause: error,
  })
}
