/**
 * Reads a gzipped tar archive as npm and code hosts make them: the POSIX ustar format with pax headers (IEEE Std 1003.1,
 * "pax Interchange Format") and the long names of GNU tar. Nothing is written before the whole archive was checked.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { errorMessage, SvcError } from 'svc/sdk'

/** Largest archive, compressed and not. */
export const MAX_TARBALL: number = 50 * 2 ** 20
const MAX_ENTRIES = 10_000
const BLOCK = 512

const refusedTypes: Readonly<Record<string, string>> = {
  1: 'a hard link',
  2: 'a symbolic link',
  3: 'a device',
  4: 'a device',
  6: 'a named pipe',
}

interface TarFile {
  /** Below the top folder of the archive. */
  readonly path: string
  readonly executable: boolean
  readonly data: Uint8Array
}

/**
 * Writes the files of an archive to a new folder, without the top folder that all of them are in. Throws `PLUGIN_UNSAFE`
 * for links, devices, paths that lead out, and what is too large; `PLUGIN_FOLDER` for what is not such an archive.
 */
export function extractTarball(bytes: Uint8Array, to: string): void {
  const files = readFiles(unzip(bytes))
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const { path, executable, data } of files) {
    const target = join(to, path)
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 })
    writeFileSync(target, data, { mode: executable ? 0o755 : 0o644, flag: 'wx' })
  }
}

function unzip(bytes: Uint8Array): Buffer {
  if (bytes.length > MAX_TARBALL) throw unsafe(`it is over ${MAX_TARBALL / 2 ** 20} MiB`)
  try {
    return gunzipSync(bytes, { maxOutputLength: 2 * MAX_TARBALL })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw unsafe(`unpacked it is over ${(2 * MAX_TARBALL) / 2 ** 20} MiB`)
    throw new SvcError('PLUGIN_FOLDER', `It is not a gzipped tar archive: ${errorMessage(cause)}`, { cause })
  }
}

function readFiles(archive: Buffer): TarFile[] {
  const files = new Map<string, TarFile>()
  let before: Extended = {}
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK)
    if (header.every((byte) => byte === 0)) break
    checkSum(header)
    const type = String.fromCharCode(header[156] ?? 0).replace('\0', '0')
    const data = readData(archive, at + BLOCK, before.size ?? readNumber(header, 124, 12))
    at += BLOCK + Math.ceil(data.length / BLOCK) * BLOCK
    const extended = readExtension(type, data, before)
    if (!extended) add(files, toFile(before.name ?? readName(header), type, header, data))
    before = extended ?? {}
  }
  if (!files.size) throw broken('there are no files in it')
  return [...files.values()]
}

/** What a header says of the entry that follows. */
interface Extended {
  readonly name?: string
  readonly size?: number
}

/** Undefined for an entry of its own. A global header, type `g`, has no names or sizes. */
function readExtension(type: string, data: Buffer, before: Extended): Extended | undefined {
  if (type === 'g') return before
  if (type === 'L') return { ...before, name: readText(data, 0, data.length) }
  if (type !== 'x') return undefined
  const { path, size } = readRecords(data)
  return { ...before, ...(path !== undefined && { name: path }), ...(size !== undefined && { size: Number(size) }) }
}

function readData(archive: Buffer, at: number, size: number): Buffer {
  const data = Number.isSafeInteger(size) && size >= 0 ? archive.subarray(at, at + size) : undefined
  if (data?.length === size) return data
  throw broken('it ends in the middle of a file')
}

function add(files: Map<string, TarFile>, file: TarFile | undefined): void {
  if (!file) return
  if (files.has(file.path)) throw unsafe(`it holds ${file.path} twice`)
  if (files.size >= MAX_ENTRIES) throw unsafe(`it has over ${MAX_ENTRIES} files`)
  files.set(file.path, file)
}

/** Undefined for folders, which are made for the files in them. */
function toFile(name: string, type: string, header: Buffer, data: Buffer): TarFile | undefined {
  const shown = JSON.stringify(name)
  if (refusedTypes[type]) throw unsafe(`${shown} is ${refusedTypes[type]}`)
  const parts = name.replace(/\/+$/, '').split('/')
  const isOutside = /^([/\\]|[A-Za-z]:)/.test(name) || parts.some((part) => part === '..' || /[\\\0]/.test(part))
  if (isOutside) throw unsafe(`${shown} leads out of its folder`)
  if (type === '5') return undefined
  if (type !== '0' && type !== '7') throw unsafe(`${shown} has the unknown type ${JSON.stringify(type)}`)
  const path = parts
    .filter((part) => part !== '' && part !== '.')
    .slice(1)
    .join('/')
  if (path === '') throw broken(`${shown} is not in a top folder`)
  return { path, executable: (readNumber(header, 100, 8) & 0o100) !== 0, data }
}

function checkSum(header: Buffer): void {
  const expected = readNumber(header, 148, 8)
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  if (sum !== expected) throw broken('a header in it is damaged')
}

function readName(header: Buffer): string {
  const isUstar = readText(header, 257, 5) === 'ustar'
  const prefix = isUstar ? readText(header, 345, 155) : ''
  return prefix ? `${prefix}/${readText(header, 0, 100)}` : readText(header, 0, 100)
}

/** A pax record is "<length> <key>=<value>\n", and the length counts itself. */
function readRecords(data: Buffer): Record<string, string> {
  const records: Record<string, string> = {}
  for (let at = 0; at < data.length; ) {
    const length = Number.parseInt(data.toString('latin1', at, at + 20), 10)
    if (!(length > 0) || at + length > data.length) throw broken('an extended header in it is damaged')
    const record = data.toString('utf8', at, at + length - 1)
    const [, key, value] = /^\d+ ([^=]+)=(.*)$/s.exec(record) ?? []
    if (key !== undefined && value !== undefined) records[key] = value
    at += length
  }
  return records
}

function readText(block: Buffer, at: number, length: number): string {
  const end = block.subarray(at, at + length).indexOf(0)
  return block.toString('utf8', at, at + (end < 0 ? length : end))
}

function readNumber(block: Buffer, at: number, length: number): number {
  return Number.parseInt(readText(block, at, length).trim() || '0', 8)
}

function unsafe(what: string): SvcError {
  return new SvcError('PLUGIN_UNSAFE', `The archive cannot be installed: ${what}.`, { status: 400 })
}

function broken(what: string): SvcError {
  return new SvcError('PLUGIN_FOLDER', `The archive cannot be read: ${what}.`, { status: 400 })
}
