/** Looks into archives that a skill brings, within limits. */

import { gunzipSync } from 'node:zlib'
import { type UnzipFileInfo, unzipSync } from 'fflate'
import type { Draft } from './findings.ts'

/** A file of an archive; `path` begins with that of the archive. */
export interface ArchivedFile {
  readonly path: string
  readonly bytes: Buffer
}

export interface ArchiveReading {
  readonly files: readonly ArchivedFile[]
  readonly findings: readonly Draft[]
}

const MAX_BYTES = 8 * 2 ** 20
const MAX_FILES = 500

export function readArchive(path: string, bytes: Buffer): ArchiveReading {
  const found = (rule: string, severity: Draft['severity'], message: string, excerpt = ''): Draft => {
    return { rule, category: 'structure', severity, path, message, excerpt }
  }
  if (bytes.subarray(0, 2).toString() === 'PK') return readZip(path, bytes, found)
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return readGzip(path, bytes, found)
  if (bytes.subarray(257, 262).toString() === 'ustar') return readTar(path, bytes, found)
  return { files: [], findings: [found('opaque-archive', 'high', 'is an archive that cannot be looked into')] }
}

type Finder = (rule: string, severity: Draft['severity'], message: string, excerpt?: string) => Draft

function readZip(path: string, bytes: Buffer, found: Finder): ArchiveReading {
  const findings: Draft[] = [found('archive', 'medium', 'is an archive')]
  if (isEncrypted(bytes))
    return {
      files: [],
      findings: [found('encrypted-archive', 'critical', 'is an archive with a password, which cannot be looked into')],
    }
  let total = 0
  let count = 0
  const filter = (file: UnzipFileInfo): boolean => {
    total += file.originalSize
    count += 1
    if (leaves(file.name))
      findings.push(found('archive-path', 'critical', 'unpacks files outside of its folder', file.name))
    return total <= MAX_BYTES && count <= MAX_FILES
  }
  try {
    const entries = Object.entries(unzipSync(bytes, { filter }))
    if (total > MAX_BYTES || count > MAX_FILES)
      findings.push(found('archive-bomb', 'critical', `unpacks to ${total} bytes in ${count} files`))
    const files = entries
      .filter(([name]) => !name.endsWith('/'))
      .map(([name, data]) => ({ path: `${path}/${name}`, bytes: Buffer.from(data) }))
    return { files, findings }
  } catch (error) {
    findings.push(
      found('opaque-archive', 'high', 'is an archive that cannot be looked into', String(error).slice(0, 80)),
    )
    return { files: [], findings }
  }
}

/** The first bit of the flags of each entry, in its own header and in the directory. */
function isEncrypted(bytes: Buffer): boolean {
  for (const [mark, offset] of [
    ['PK\u0003\u0004', 6],
    ['PK\u0001\u0002', 8],
  ] as const)
    for (
      let at = bytes.indexOf(mark, 0, 'latin1');
      at >= 0 && at + offset < bytes.length;
      at = bytes.indexOf(mark, at + 4, 'latin1')
    )
      if (((bytes[at + offset] ?? 0) & 1) === 1) return true
  return false
}

function readGzip(path: string, bytes: Buffer, found: Finder): ArchiveReading {
  try {
    const inner = gunzipSync(bytes, { maxOutputLength: MAX_BYTES })
    if (inner.subarray(257, 262).toString() === 'ustar') return readTar(path, inner, found)
    return {
      files: [{ path: `${path}/content`, bytes: inner }],
      findings: [found('archive', 'medium', 'is an archive')],
    }
  } catch (error) {
    const isLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    return {
      files: [],
      findings: [
        isLarge
          ? found('archive-bomb', 'critical', `unpacks to more than ${MAX_BYTES} bytes`)
          : found('opaque-archive', 'high', 'is an archive that cannot be looked into'),
      ],
    }
  }
}

/** ustar: blocks of 512 bytes. https://www.gnu.org/software/tar/manual/html_node/Standard.html */
function readTar(path: string, bytes: Buffer, found: Finder): ArchiveReading {
  const files: ArchivedFile[] = []
  const findings: Draft[] = [found('archive', 'medium', 'is an archive')]
  for (let at = 0; at + 512 <= bytes.length && files.length < MAX_FILES; ) {
    const name = field(bytes, at, 100)
    if (name === '') break
    const size = Number.parseInt(field(bytes, at + 124, 12), 8) || 0
    const kind = field(bytes, at + 156, 1)
    const target = field(bytes, at + 157, 100)
    if (leaves(name) || ((kind === '1' || kind === '2') && leaves(target)))
      findings.push(
        found('archive-path', 'critical', 'unpacks files outside of its folder', `${name} ${target}`.trim()),
      )
    if (kind === '0' || kind === '')
      files.push({ path: `${path}/${name}`, bytes: bytes.subarray(at + 512, at + 512 + size) })
    at += 512 + Math.ceil(size / 512) * 512
  }
  return { files, findings }
}

function field(bytes: Buffer, at: number, length: number): string {
  const text = bytes.subarray(at, at + length).toString('latin1')
  return text.slice(0, text.indexOf('\0') < 0 ? length : text.indexOf('\0')).trim()
}

function leaves(name: string): boolean {
  return /^(?:[/\\~]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(name)
}
