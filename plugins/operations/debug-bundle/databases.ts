/** The versions of databases, from their first bytes: https://www.sqlite.org/fileformat.html#the_database_header */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface DatabaseFacts {
  /** Relative to the home, with slashes. */
  readonly path: string
  readonly bytes: number
  /** As its owner counts: `user_version`. Undefined for a file that is no database. */
  readonly schema?: number
  /** Of changes that are not in the file yet. */
  readonly logBytes?: number
}

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const SCHEMA_AT = 60
const MAX_DEPTH = 4

/** Those below the folder `data` of a home. */
export function listDatabases(home: string): readonly DatabaseFacts[] {
  const found: DatabaseFacts[] = []
  const visit = (path: string, depth: number) => {
    for (const entry of readdirSync(join(home, path), { withFileTypes: true })) {
      const below = `${path}/${entry.name}`
      if (entry.isDirectory() && depth < MAX_DEPTH) visit(below, depth + 1)
      else if (entry.isFile() && entry.name.endsWith('.db')) found.push(readFacts(home, below))
    }
  }
  if (statSync(join(home, 'data'), { throwIfNoEntry: false })?.isDirectory()) visit('data', 1)
  return found.sort((one, two) => (one.path < two.path ? -1 : 1))
}

function readFacts(home: string, path: string): DatabaseFacts {
  const file = join(home, path)
  const bytes = statSync(file).size
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const header = readStart(file)
  const isDatabase = header.toString('latin1', 0, MAGIC.length) === MAGIC
  return {
    path,
    bytes,
    ...(isDatabase && { schema: header.readUInt32BE(SCHEMA_AT) }),
    ...(log > 0 && { logBytes: log }),
  }
}

function readStart(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0)
    return header
  } finally {
    closeSync(descriptor)
  }
}
