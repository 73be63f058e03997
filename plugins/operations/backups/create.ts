/** Makes a backup of a home that is in use. */
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Clock, errorMessage, type Home, type Logger, logFault, type Random, SvcError } from 'svc/sdk'
import { flushFolder } from 'svc/sdk/kit/files'
import type { BackupResult, BackupRule, Backups, HomeExport, PinnedFile } from 'svc/sdk/operations'
import { type ArchiveWriter, writeArchive } from './archive-writer.ts'
import { type Contents, type ListedFile, listContents, selectContents } from './contents.ts'
import { type BackupHead, type BackupManifest, FORMAT, HEAD, MANIFEST, PREFIX } from './facts.ts'
import { findBackupFolder, proposeFile } from './places.ts'

export interface CreateDeps {
  readonly home: Home
  readonly clock: Clock
  readonly random: Random
  readonly rules: readonly BackupRule[]
  readonly log: Logger
  /** The plugin that a rule comes from. */
  readonly owner: (rule: string) => string | undefined
  /** The version of this svc. */
  readonly program: string
}

type Options = NonNullable<Parameters<Backups['create']>[0]>
/** What an export or a snapshot has of the home. */
export interface Part extends Pick<HomeExport, 'texts' | 'notes'>, Pick<BackupHead, 'label'> {
  readonly kind: BackupHead['kind']
  includes(path: string, listed: ListedFile): boolean
}

const DAY_MS = 86_400_000
/** Of a backup that is being made, and of copies for it. A killed one is removed by a later one. */
const PART = /^\..*\.part-[0-9a-f]{8}(?:\.files)?$/

/** Throws `BACKUP_FAILED`, `BACKUP_TARGET`. */
export async function createBackup(deps: CreateDeps, options: Options = {}, only?: Part): Promise<BackupResult> {
  const { home, clock, random, rules } = deps
  const file = options.file ?? proposeFile(home, home.profile, clock.now(), options.passphrase !== undefined)
  const folder = dirname(file)
  prepareFolder(folder, folder === findBackupFolder(home))
  if (lstatSync(file, { throwIfNoEntry: false }))
    throw new SvcError('BACKUP_TARGET', `${file} is there already. Choose another file with --output.`, { status: 409 })
  if (`${file}/`.startsWith(`${home.dir}/`))
    throw new SvcError(
      'BACKUP_TARGET',
      `${file} is in the home itself and would be lost with it. Choose a place outside with --output.`,
      { status: 400 },
    )
  removeOldParts(folder, clock.now() - DAY_MS)
  const part = join(folder, `.${basename(file)}.part-${random.hex(4)}`)
  try {
    const all = listContents(home.dir, rules)
    const contents = only ? selectContents(all, only.includes) : all
    await requireSpace(folder, contents)
    mkdirSync(`${part}.files`, { mode: 0o700 })
    const written = await writeContents(part, { contents, deps, options, only })
    renameSync(part, file)
    await flushFolder(folder)
    return { file, bytes: statSync(file).size, isEncrypted: options.passphrase !== undefined, ...written }
  } catch (cause) {
    options.signal?.throwIfAborted()
    if (cause instanceof SvcError) throw cause
    throw new SvcError('BACKUP_FAILED', `The backup was not made: ${errorMessage(cause)}.`, { status: 507, cause })
  } finally {
    for (const rest of [part, `${part}.files`]) rmSync(rest, { recursive: true, force: true })
  }
}

interface Work {
  readonly contents: Contents
  readonly deps: CreateDeps
  readonly options: Options
  readonly only: Part | undefined
}

async function writeContents(part: string, { contents, deps, options, only }: Work) {
  const { home, clock, program } = deps
  const report: Report = (listed, error) => {
    const rule = listed.rule?.name ?? ''
    logFault(deps.log, `${listed.path} could not be copied by the rule ${rule}`, error, deps.owner(rule))
    warnings.push(
      `${listed.path} is in the backup as it is on the disk, because it could not be copied whole: ${errorMessage(error)}.`,
    )
  }
  const total = contents.files.reduce((sum, { bytes }) => sum + bytes, 0)
  const manifest: BackupManifest = { files: {}, folders: contents.folders.map(({ path }) => path), links: {} }
  const warnings: string[] = []
  let done = 0
  const head: BackupHead = {
    kind: only?.kind ?? 'svc-backup',
    format: FORMAT,
    created: new Date(clock.now()).toISOString(),
    program,
    ...(home.profile !== undefined && { profile: home.profile }),
    ...(only?.label !== undefined && { label: only.label }),
    ...(only?.notes && { notes: [...only.notes] }),
  }
  using pinned = await pinAll(home.dir, contents.files, report)
  await writeArchive(part, { passphrase: options.passphrase, signal: options.signal }, async (writer) => {
    await writer.addText(HEAD, `${JSON.stringify(head)}\n`)
    for (const { path, mode } of contents.folders) await writer.addFolder(`${PREFIX}${path}/`, mode)
    for (const listed of contents.files) {
      options.signal?.throwIfAborted()
      const onBytes = (count: number) => {
        done += count
        options.onProgress?.(Math.min(done, total), total)
      }
      const copy = join(`${part}.files`, 'copy')
      const text = only?.texts?.get(listed.path)
      if (text !== undefined) {
        manifest.files[listed.path] = await writer.addText(`${PREFIX}${listed.path}`, text)
        continue
      }
      const added = await addOne(writer, { listed, file: join(home.dir, listed.path), copy, report, onBytes, pinned })
      if (added) manifest.files[listed.path] = added
    }
    for (const [path, to] of contents.links) manifest.links[path] = to
    await writer.addText(MANIFEST, `${JSON.stringify(manifest)}\n`)
  })
  const files = Object.values(manifest.files)
  return { files: files.length, contentBytes: files.reduce((sum, { bytes }) => sum + bytes, 0), warnings }
}

/** Of a file that is copied without its rule. */
type Report = (listed: ListedFile, error: unknown) => void

interface One {
  readonly listed: ListedFile
  readonly file: string
  readonly copy: string
  readonly report: Report
  readonly onBytes: (count: number) => void
  readonly pinned: Map<string, PinnedFile>
}

async function addOne(writer: ArchiveWriter, { listed, file, copy, report, onBytes, pinned }: One) {
  const { path, mode } = listed
  const pin = pinned.get(path)
  if (!pin) return writer.addFile(`${PREFIX}${path}`, file, { mode, onBytes })
  try {
    const { schema } = await pin.copyTo(copy)
    const added = await writer.addFile(`${PREFIX}${path}`, copy, { mode, onBytes })
    return added && { ...added, ...(schema !== undefined && { schema }) }
  } catch (error) {
    if (isFull(error)) throw error
    // What can still be read of it is worth more than nothing.
    report(listed, error)
    return writer.addFile(`${PREFIX}${path}`, file, { mode, onBytes })
  } finally {
    pin[Symbol.dispose]()
    pinned.delete(path)
    rmSync(copy, { force: true })
  }
}

function isFull(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'ENOSPC' || code === 'SQLITE_FULL'
}

/** All at first, so that databases which belong together are of about one moment. */
async function pinAll(home: string, files: readonly ListedFile[], report: Report) {
  const pinned = new Map<string, PinnedFile>()
  const release = () => {
    for (const pin of pinned.values()) pin[Symbol.dispose]()
  }
  try {
    for (const listed of files) {
      const { path, rule } = listed
      if (!rule?.pin) continue
      try {
        const pin = await rule.pin(join(home, path))
        if (pin) pinned.set(path, pin)
      } catch (error) {
        report(listed, error)
      }
    }
  } catch (error) {
    release()
    throw error
  }
  return Object.assign(pinned, { [Symbol.dispose]: release })
}

function prepareFolder(folder: string, isOurs: boolean): void {
  if (existsSync(folder)) return
  if (!isOurs)
    throw new SvcError('BACKUP_TARGET', `There is no folder ${folder}. Create it, or choose another one.`, {
      status: 404,
    })
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (cause) {
    const message = `The folder ${folder} cannot be created: ${errorMessage(cause)}. Choose a file elsewhere with --output.`
    throw new SvcError('BACKUP_TARGET', message, { cause })
  }
}

/** A disk that has less room than the files without compression is refused only if not even a tenth is there. */
async function requireSpace(folder: string, { files }: Contents): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const pinnedBytes = Math.max(0, ...files.filter(({ rule }) => rule?.pin).map(({ bytes }) => bytes))
  const least = files.reduce((sum, { bytes }) => sum + bytes, 0) / 10 + pinnedBytes
  if (bavail * bsize >= least) return
  const mib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`
  throw new SvcError(
    'BACKUP_FAILED',
    `The backup was not made: ${folder} has ${mib(bavail * bsize)} free, and it takes ${mib(least)} or more. Choose another disk with --output.`,
    { status: 507 },
  )
}

function removeOldParts(folder: string, before: number): void {
  for (const name of readdirSync(folder).filter((each) => PART.test(each))) {
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (stat && stat.mtimeMs < before) rmSync(join(folder, name), { recursive: true, force: true })
  }
}
