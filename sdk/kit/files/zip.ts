/**
 * Reads zip archives of strangers: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. The whole directory is judged before
 * anything is unpacked.
 */

/** What an archive may be at most. @since 0.2 */
export interface ZipLimits {
  /** Entries, folders included. */
  readonly maxFiles: number
  /** Bytes of all files, unpacked. */
  readonly maxBytes: number
  /** The error for an archive that is refused. `why` is the end of a sentence: `it has a password`. */
  readonly refuse: (why: string, cause?: unknown) => Error
}

const MAX_PATH = 400
const FILE = 0o100000
const FOLDER = 0o040000

/**
 * The files of an archive by their paths, without folders. Rejects with the error of `refuse` for what is no archive or is damaged, has
 * a password, links, paths that lead out, two names that are one on other systems, or more than the limits.
 * @since 0.2
 */
export async function readZip(
  bytes: Uint8Array,
  { maxFiles, maxBytes, refuse }: ZipLimits,
): Promise<ReadonlyMap<string, Uint8Array>> {
  checkEntries(readDirectory(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), refuse), {
    ...{ maxFiles, maxBytes, refuse },
  })
  const { unzipSync } = await import('fflate')
  try {
    // The sizes were judged; what is larger than it says is cut off there.
    let total = 0
    const filter = ({ originalSize }: { readonly originalSize: number }) => {
      total += originalSize
      return total <= maxBytes
    }
    return new Map(Object.entries(unzipSync(bytes, { filter })).filter(([name]) => !name.endsWith('/')))
  } catch (cause) {
    throw refuse('it cannot be unpacked', cause)
  }
}

/** Whether a path with slashes is not one below a folder on every file system. @since 0.2 */
export function leadsOut(path: string): boolean {
  const parts = path.replace(/\/$/, '').split('/')
  return (
    path.length > MAX_PATH ||
    parts.some((part) => part === '' || part === '.' || part === '..' || /[\\:\p{Cc}]/u.test(part))
  )
}

interface Entry {
  readonly name: string
  readonly size: number
  readonly flags: number
  readonly mode: number
}

function checkEntries(entries: readonly Entry[], { maxFiles, maxBytes, refuse }: ZipLimits): void {
  if (entries.length > maxFiles) throw refuse(`it has more than ${maxFiles} files`)
  const seen = new Set<string>()
  let total = 0
  for (const { name, size, flags, mode } of entries) {
    const shown = JSON.stringify(name)
    if (leadsOut(name)) throw refuse(`the path ${shown} leads out of it`)
    if (flags & 1) throw refuse('it has a password')
    const kind = mode & 0o170000
    if (kind !== 0 && kind !== FILE && kind !== FOLDER) throw refuse(`${shown} is a link or no file`)
    const folded = name.normalize('NFC').toLowerCase()
    if (seen.has(folded)) throw refuse(`${shown} is in it twice`)
    seen.add(folded)
    total += size
    if (total > maxBytes) throw refuse(`unpacked it has more than ${maxBytes / 2 ** 20} MiB`)
  }
}

function readDirectory(bytes: Buffer, refuse: ZipLimits['refuse']): Entry[] {
  const end = bytes.lastIndexOf('PK\u0005\u0006', undefined, 'latin1')
  if (end < 0 || end + 22 > bytes.length) throw refuse('it is no zip archive')
  const count = bytes.readUInt16LE(end + 10)
  const entries: Entry[] = []
  let at = bytes.readUInt32LE(end + 16)
  // A second directory elsewhere would be the one that is unpacked.
  if (count === 0xffff || at === 0xffffffff) throw refuse('its directory is that of a larger archive')
  for (let left = count; left > 0; left -= 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw refuse('its directory is damaged')
    const length = bytes.readUInt16LE(at + 28)
    entries.push({
      flags: bytes.readUInt16LE(at + 8),
      size: bytes.readUInt32LE(at + 24),
      mode: bytes.readUInt32LE(at + 38) >>> 16,
      name: bytes.toString('utf8', at + 46, at + 46 + length),
    })
    at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}
