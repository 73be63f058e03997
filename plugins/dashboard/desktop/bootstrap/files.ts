/** The marker of a finished bootstrap, and the stamp of a build: what they hold and when they count. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeAtomically } from 'svc/sdk/kit/files'
import { z } from 'zod'

const marker = z.object({
  schemaVersion: z.literal(1),
  pinnedCommit: z.string().min(7),
  pinnedBranch: z.string().nullable(),
  /** ISO 8601. */
  completedAt: z.string(),
  desktopVersion: z.string(),
})
export type Marker = z.infer<typeof marker>

const stamp = z.object({
  schemaVersion: z.literal(1),
  commit: z.string(),
  branch: z.string().nullable(),
  builtAt: z.string(),
  dirty: z.boolean(),
  source: z.enum(['ci', 'local']),
})
export type InstallStamp = z.infer<typeof stamp>

/** Below the root home: what the bootstrap makes. */
export const AGENT_FOLDER = 'svc-agent'
const MARKER = '.svc-bootstrap-complete'

export function markerFile(home: string): string {
  return join(home, AGENT_FOLDER, MARKER)
}

/** Undefined if there is none that counts: another schema, a short pin, or no JSON. */
export function readMarker(home: string): Promise<Marker | undefined> {
  return readAs(markerFile(home), marker)
}

export async function writeMarker(home: string, value: Marker): Promise<void> {
  await mkdir(dirname(markerFile(home)), { recursive: true, mode: 0o700 })
  await writeAtomically(markerFile(home), `${JSON.stringify(value, undefined, 2)}\n`)
}

export function removeMarker(home: string): Promise<void> {
  return rm(markerFile(home), { force: true })
}

/** Of the program in this folder; one with another schema is ignored. */
export function readInstallStamp(root: string): Promise<InstallStamp | undefined> {
  return readAs(join(root, 'dist', 'install-stamp.json'), stamp)
}

async function readAs<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.safeParse(JSON.parse(await readFile(file, 'utf8'))).data
  } catch (error) {
    if (
      error instanceof SyntaxError ||
      ['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as { code?: string }).code ?? '')
    )
      return undefined
    throw error
  }
}
