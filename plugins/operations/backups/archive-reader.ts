/** Reads a backup, which may come from a stranger: nothing that it says is believed before its hashes are compared. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { gte } from 'semver'
import { errorMessage, SvcError, tryParseJson } from 'svc/sdk'
import type { z } from 'zod'
import {
  type BackupHead,
  type BackupManifest,
  backupHead,
  backupManifest,
  FORMAT,
  HEAD,
  MANIFEST,
  PREFIX,
} from './facts.ts'
import type { TarEntry } from './tar.ts'

export interface ReadOptions {
  readonly file: string
  /** Asked for when the file is encrypted. */
  readonly passphrase: () => Promise<string>
  /** The version of this svc. */
  readonly program: string
  readonly signal: AbortSignal
}

/** What a reader of an archive does with its entries, in their order. */
export interface ArchiveVisitor {
  /** Called first. */
  head?(head: BackupHead): void | Promise<void>
  folder?(path: string, mode: number): void | Promise<void>
  /** Resolves when all of `parts` is read. */
  file?(path: string, mode: number, parts: AsyncIterable<Uint8Array>): Promise<void>
}

const MAX_HEAD = 65_536
const MAX_MANIFEST = 256 * 2 ** 20
const MAX_PATH = 4096
const AGE = 'age-encryption.org/'
const GZIP = 0x1f8b

export async function isEncrypted(file: string): Promise<boolean> {
  return (await readStart(file)).toString('latin1').startsWith(AGE)
}

/**
 * Reads all of an archive and compares every file with its hash. Resolves to its facts. Rejects with `BACKUP_DAMAGED`,
 * `BACKUP_PASSPHRASE`, `BACKUP_TOO_NEW`, or what the visitor throws.
 */
export async function readArchive(
  options: ReadOptions,
  visitor: ArchiveVisitor = {},
): Promise<{ readonly head: BackupHead; readonly manifest: BackupManifest }> {
  const { file, signal } = options
  const entries = await openEntries(options)
  let head: BackupHead | undefined
  let manifest: BackupManifest | undefined
  const seen: Seen = { files: new Map(), folders: new Set() }
  try {
    for await (const { header, body } of entries) {
      signal.throwIfAborted()
      const { name } = header
      if (manifest) throw damaged(file, 'it goes on after its end')
      if (!head) {
        head = readHead(file, name, await readText(body, MAX_HEAD), options.program)
        await visitor.head?.(head)
      } else if (name === MANIFEST) manifest = parse(file, backupManifest, await readText(body, MAX_MANIFEST))
      else await readEntry({ header, body }, { file, visitor, seen })
    }
  } catch (cause) {
    throw cause instanceof SvcError || signal.aborted || isOfSystem(cause)
      ? cause
      : damaged(file, errorMessage(cause), cause)
  }
  if (!head || !manifest) throw damaged(file, 'it is cut off')
  compare(file, manifest, seen)
  return { head, manifest }
}

/** Only what the archive says first. */
export async function readArchiveHead(options: ReadOptions): Promise<BackupHead> {
  const { file } = options
  try {
    for await (const { header, body } of await openEntries(options))
      return readHead(file, header.name, await readText(body, MAX_HEAD), options.program)
  } catch (cause) {
    throw cause instanceof SvcError ? cause : damaged(file, errorMessage(cause), cause)
  }
  throw damaged(file, 'it is empty')
}

interface Seen {
  readonly files: Map<string, { readonly bytes: number; readonly sha256: string }>
  readonly folders: Set<string>
}

async function readStart(file: string): Promise<Buffer> {
  const start = Buffer.alloc(AGE.length)
  let handle: Awaited<ReturnType<typeof open>>
  try {
    handle = await open(file, 'r')
  } catch (cause) {
    throw new SvcError('BACKUP_DAMAGED', `${file} cannot be read: ${errorMessage(cause)}.`, { status: 400, cause })
  }
  try {
    const { bytesRead } = await handle.read(start, 0, start.length, 0)
    return start.subarray(0, bytesRead)
  } catch (cause) {
    throw new SvcError('BACKUP_DAMAGED', `${file} cannot be read: ${errorMessage(cause)}.`, { status: 400, cause })
  } finally {
    await handle.close()
  }
}

async function openEntries({ file, passphrase }: ReadOptions): Promise<AsyncIterable<TarEntry>> {
  const start = await readStart(file)
  const isSealed = start.toString('latin1').startsWith(AGE)
  if (!isSealed && !(start.length > 2 && start.readUInt16BE(0) === GZIP))
    throw damaged(file, 'it is not a backup of svc')
  const source = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const zipped = isSealed ? await unseal(file, source, await passphrase()) : source
  const { readTar } = await import('./tar.ts')
  return readTar(zipped)
}

async function unseal(file: string, source: ReadableStream<Uint8Array>, passphrase: string) {
  const { decrypt } = await import('./encryption.ts')
  try {
    return await decrypt(source, passphrase)
  } catch (cause) {
    throw new SvcError('BACKUP_PASSPHRASE', `${file} cannot be decrypted: the passphrase is wrong.`, {
      status: 403,
      cause,
    })
  }
}

/** Judges the format before the rest, which a later svc may write in another way. */
function readHead(file: string, name: string, text: string, program: string): BackupHead {
  if (name !== HEAD) throw damaged(file, 'it is not a backup of svc')
  const format = (tryParseJson(text)?.value as { format?: unknown } | undefined)?.format
  if (typeof format === 'number' && format > FORMAT) throw tooNew(file, `format ${format}`)
  const head = parse(file, backupHead, text)
  if (!isKnown(head.program, program)) throw tooNew(file, `version ${head.program}; this is ${program}`)
  return head
}

function isKnown(made: string, program: string): boolean {
  try {
    return gte(program, made)
  } catch {
    return false
  }
}

function tooNew(file: string, what: string): SvcError {
  const message = `${file} was made by a later svc (${what}), whose data this one may not understand. Update first: svc update. Nothing was changed.`
  return new SvcError('BACKUP_TOO_NEW', message, { status: 409 })
}

async function readEntry(
  { header: { name, mode = 0o600, type }, body }: TarEntry,
  { file, visitor, seen }: { readonly file: string; readonly visitor: ArchiveVisitor; readonly seen: Seen },
): Promise<void> {
  const path = name.slice(PREFIX.length).replace(/\/$/, '')
  if (!name.startsWith(PREFIX) || leadsOut(path))
    throw damaged(file, `it has a path that leads out: ${JSON.stringify(name)}`)
  if (seen.files.has(path) || seen.folders.has(path)) throw damaged(file, `${path} is in it twice`)
  // Keys of the system (set-uid and others) are never restored.
  if (type === 'directory') {
    seen.folders.add(path)
    await readText(body, 0)
    await visitor.folder?.(path, mode & 0o777)
    return
  }
  if (type !== 'file') throw damaged(file, `${path} is no file`)
  const hash = createHash('sha256')
  let bytes = 0
  const parts = (async function* () {
    for await (const part of body) {
      hash.update(part)
      bytes += part.length
      yield part
    }
  })()
  if (visitor.file) await visitor.file(path, mode & 0o777, parts)
  else for await (const _part of parts);
  seen.files.set(path, { bytes, sha256: hash.digest('hex') })
}

/** Of a path with slashes that is to be below a folder. */
function leadsOut(path: string): boolean {
  return (
    path.length > MAX_PATH ||
    path.includes('\0') ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..')
  )
}

function compare(file: string, manifest: BackupManifest, { files, folders }: Seen): void {
  for (const [path, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const found = files.get(path)
    if (found?.sha256 !== sha256 || found.bytes !== bytes)
      throw damaged(file, `${path} ${found ? 'was changed' : 'is missing'}`)
  }
  const extra = [...files.keys()].find((path) => !Object.hasOwn(manifest.files, path))
  if (extra !== undefined) throw damaged(file, `${extra} was added`)
  if (manifest.folders.some((path) => !folders.has(path)) || manifest.folders.length !== folders.size)
    throw damaged(file, 'its folders are not those of its list')
  const odd = Object.keys(manifest.links).find((path) => leadsOut(path) || files.has(path) || folders.has(path))
  if (odd !== undefined) throw damaged(file, `the link ${odd} cannot be made`)
}

async function readText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > limit) throw new Error('one of its lists is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function parse<T>(file: string, schema: z.ZodType<T>, text: string): T {
  const parsed = schema.safeParse(tryParseJson(text)?.value)
  if (!parsed.success) throw damaged(file, 'its description cannot be read')
  return parsed.data
}

/** Such as a full disk where the visitor writes. */
function isOfSystem(error: unknown): boolean {
  const { errno, code } = error as NodeJS.ErrnoException
  return typeof errno === 'number' && typeof code === 'string' && code.startsWith('E')
}

function damaged(file: string, why: string, cause?: unknown): SvcError {
  return new SvcError('BACKUP_DAMAGED', `${file} cannot be used: ${why}.`, {
    status: 400,
    ...(cause !== undefined && { cause }),
  })
}
