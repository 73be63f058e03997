/** Reads zip archives of strangers: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. Writes nothing. */
import { SvcError } from 'svc/sdk'
import type { Files } from './sources/source.ts'

const MAX_FILES = 1000
const MAX_BYTES = 10 * 2 ** 20

/** The files without the one folder that all may be in. Rejects with `SKILL_PACKAGE`. */
export async function readZip(bytes: Uint8Array): Promise<Files> {
  const { unzipSync } = await import('fflate')
  const entries = readDirectory(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  let total = 0
  for (const { name, size, flags, mode } of entries) {
    if (/^(?:[/\\~]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|\0/.test(name))
      throw refuse(`the path ${name} leads out of it`)
    if (flags & 1) throw refuse('it has a password')
    if ((mode & 0o170000) === 0o120000) throw refuse(`${name} is a link`)
    total += size
    if (total > MAX_BYTES) throw refuse(`unpacked it has more than ${MAX_BYTES / 2 ** 20} MiB`)
  }
  if (entries.length > MAX_FILES) throw refuse(`it has more than ${MAX_FILES} files`)
  try {
    const found = Object.entries(unzipSync(bytes, { filter: ({ originalSize }) => originalSize <= MAX_BYTES }))
    return withoutTop(new Map(found.filter(([name]) => !name.endsWith('/') && !/^__MACOSX\/|\.DS_Store$/.test(name))))
  } catch (cause) {
    throw refuse('it cannot be unpacked', cause)
  }
}

function refuse(why: string, cause?: unknown): SvcError {
  return new SvcError('SKILL_PACKAGE', `The archive is not used: ${why}.`, { cause })
}

interface Entry {
  readonly name: string
  readonly size: number
  readonly flags: number
  readonly mode: number
}

function readDirectory(bytes: Buffer): Entry[] {
  const end = bytes.lastIndexOf('PK\u0005\u0006', undefined, 'latin1')
  if (end < 0 || end + 22 > bytes.length) throw refuse('it is no zip archive')
  const count = bytes.readUInt16LE(end + 10)
  const entries: Entry[] = []
  let at = bytes.readUInt32LE(end + 16)
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

function withoutTop(files: Files): Files {
  if (files.has('SKILL.md')) return files
  const tops = new Set([...files.keys()].map((path) => path.split('/')[0] ?? ''))
  const [top = ''] = tops
  if (tops.size !== 1 || !files.has(`${top}/SKILL.md`)) return files
  return new Map([...files].map(([path, data]) => [path.slice(top.length + 1), data]))
}
