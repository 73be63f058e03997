/**
 * The archive of a profile: a zip file (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT) with `profile.json`, which says what it
 * holds, and the files of the profile below `files/`. What is read comes from strangers.
 */
import { createHash } from 'node:crypto'
import { SvcError, tryParseJson } from 'svc/sdk'
import { readZip } from 'svc/sdk/kit/files'
import { z } from 'zod'

/** By its path in the profile, with slashes. */
export type Files = ReadonlyMap<string, Uint8Array>

/** Of the format that is written. One with another number was written by a later svc. */
const FORMAT = 1
const FACTS = 'profile.json'
const PREFIX = 'files/'
export const MAX_FILES = 20_000
/** Of all files, unpacked. */
export const MAX_BYTES = 256 * 2 ** 20

const facts = z.object({
  kind: z.literal('svc-profile'),
  format: z.literal(FORMAT),
  name: z.string().max(64),
  /** ISO 8601. */
  created: z.string().max(40),
  /** Whether `.env` is in it and nothing was masked. */
  secrets: z.boolean(),
  /** Files in which `***` stands for what was secret. */
  masked: z.array(z.string()).max(MAX_FILES),
  files: z
    .array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string(), isProgram: z.boolean().default(false) }))
    .max(MAX_FILES),
})

/** What `profile.json` says. */
export type ArchiveFacts = z.infer<typeof facts>

export interface Archive {
  readonly facts: ArchiveFacts
  readonly files: Files
}

/** The bytes of an archive. `programs` are the paths of files that can be run. */
export async function packArchive(
  about: Omit<ArchiveFacts, 'kind' | 'format' | 'files'>,
  files: Files,
  programs: ReadonlySet<string>,
): Promise<Uint8Array> {
  const { zip } = await import('fflate')
  const list = [...files].map(([path, data]) => {
    return { path, bytes: data.length, sha256: hash(data), isProgram: programs.has(path) }
  })
  const written: ArchiveFacts = { kind: 'svc-profile', format: FORMAT, ...about, files: list }
  const entries: Record<string, Uint8Array> = { [FACTS]: Buffer.from(`${JSON.stringify(written, undefined, 2)}\n`) }
  for (const [path, data] of files) entries[PREFIX + path] = data
  return await new Promise((resolve, reject) => {
    // The date is the same for all, so that two exports of one profile differ in `created` only.
    zip(entries, { level: 6, mtime: '1980-01-02' }, (error, data) => (error ? reject(error) : resolve(data)))
  })
}

/** Checks all of it before it returns anything. Rejects with `PROFILE_ARCHIVE`. */
export async function readArchive(bytes: Uint8Array): Promise<Archive> {
  const unpacked = await readZip(bytes, { maxFiles: MAX_FILES + 1, maxBytes: MAX_BYTES, refuse })
  const about = readFacts(unpacked.get(FACTS))
  const files = new Map(
    about.files.map(({ path, bytes: size, sha256 }) => {
      const data = unpacked.get(PREFIX + path)
      if (!data || data.length !== size || hash(data) !== sha256) throw refuse(`${path} is damaged or not in it`)
      return [path, data] as const
    }),
  )
  return { facts: about, files }
}

function readFacts(data: Uint8Array | undefined): ArchiveFacts {
  const value = data && tryParseJson(Buffer.from(data).toString('utf8'))?.value
  const { kind, format } = (value ?? {}) as { readonly kind?: unknown; readonly format?: unknown }
  if (kind !== 'svc-profile') throw refuse('it is not one that svc profile export wrote')
  if (typeof format === 'number' && format > FORMAT) throw refuse('a later svc wrote it. Update svc to import it')
  const parsed = facts.safeParse(value)
  if (!parsed.success) throw refuse(`its ${FACTS} is damaged`)
  return parsed.data
}

function hash(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

export function refuse(why: string, cause?: unknown): SvcError {
  return new SvcError('PROFILE_ARCHIVE', `The archive is not imported: ${why}.`, { cause, status: 400 })
}
