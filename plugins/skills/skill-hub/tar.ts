/** Reads gzipped tar archives of strangers: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html. Writes nothing. */
import { gunzipSync } from 'node:zlib'
import type { Files } from './sources/source.ts'
import { checkPath, MAX_BYTES, MAX_FILES, refuse, withoutTop } from './zip.ts'

const BLOCK = 512
/** Each file has a header and fills its last block. */
const MAX_UNPACKED = MAX_BYTES + (MAX_FILES + 1) * 4 * BLOCK

/** The files without the one folder that all may be in. Throws `SKILL_PACKAGE`. */
export function readTar(bytes: Uint8Array): Files {
  const files: Files = new Map()
  let total = 0
  for (const { kind, name, data } of readEntries(unpack(bytes))) {
    if (kind === '5' || name === '') continue
    checkPath(name)
    if (kind !== '0' && kind !== '\0') throw refuse(`${name} is a link or a device`)
    total += data.length
    if (total > MAX_BYTES) throw refuse(`unpacked it has more than ${MAX_BYTES / 2 ** 20} MiB`)
    if (files.size >= MAX_FILES) throw refuse(`it has more than ${MAX_FILES} files`)
    if (!/(?:^|\/)\._|\.DS_Store$/.test(name)) files.set(name, new Uint8Array(data))
  }
  return withoutTop(files)
}

interface Entry {
  readonly kind: string
  readonly name: string
  readonly data: Buffer
}

/** What stands in the archive, each under its whole name. */
function* readEntries(all: Buffer): Generator<Entry> {
  let longName: string | undefined
  for (let at = 0; at + BLOCK <= all.length && all[at] !== 0; ) {
    const header = all.subarray(at, at + BLOCK)
    if (!isHeader(header)) throw refuse('its directory is damaged')
    const size = Number.parseInt(readText(header, 124, 12).trim() || '0', 8)
    const data = all.subarray(at + BLOCK, at + BLOCK + size)
    if (!(size >= 0) || data.length < size) throw refuse('it is cut off')
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    const kind = String.fromCharCode(header[156] ?? 0)
    if ('xgLK'.includes(kind)) {
      longName = readLongName(kind, data) ?? longName
      continue
    }
    yield { kind, name: (longName ?? readName(header)).replace(/^(?:\.\/)+/, ''), data }
    longName = undefined
  }
}

/** A long name stands before its file: of pax as "12 path=name", of GNU as it is. */
function readLongName(kind: string, data: Buffer): string | undefined {
  if (kind === 'x') return /^\d+ path=(.*)$/m.exec(data.toString('utf8'))?.[1]
  return kind === 'L' ? data.toString('utf8').replace(/\0.*$/s, '') : undefined
}

function unpack(bytes: Uint8Array): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED })
  } catch (cause) {
    const isLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw refuse(isLarge ? `unpacked it has more than ${MAX_BYTES / 2 ** 20} MiB` : 'it cannot be unpacked', cause)
  }
}

function readText(header: Buffer, at: number, length: number): string {
  return header.toString('utf8', at, at + length).replace(/\0.*$/s, '')
}

function readName(header: Buffer): string {
  const prefix = readText(header, 257, 5) === 'ustar' ? readText(header, 345, 155) : ''
  return prefix === '' ? readText(header, 0, 100) : `${prefix}/${readText(header, 0, 100)}`
}

/** The sum of its bytes, with blanks in the place of the sum itself. */
function isHeader(header: Buffer): boolean {
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0)
  return sum === Number.parseInt(readText(header, 148, 8).trim(), 8)
}
