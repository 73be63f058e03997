/** A profile that comes from a repository: what its files are, and what is kept of where they came from. */
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { SvcError, tryParseJson } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { parse } from 'yaml'
import { z } from 'zod'
import { fetchSource, type GitSource } from './git.ts'
import { listFiles, listPortable, type PortableFile } from './portable.ts'
import type { HomeContext } from './profile-folders.ts'

const MAX_BYTES = 256 * 2 ** 20
const MAX_FILES = 20_000
const MAX_FACTS = 65_536
const RECORD = 'distribution.json'

const variable = z.object({
  name: z.string().regex(/^[A-Z_][A-Z0-9_]{0,99}$/),
  description: z.string().max(500).default(''),
  required: z.boolean().default(true),
})
/** Of `distribution.yaml`; other keys are left alone. */
const facts = z.looseObject({
  name: z.string().max(64).optional(),
  version: z.coerce.string().max(64).optional(),
  description: z.string().max(2000).optional(),
  env_requires: z.array(variable).max(100).default([]),
})

/** What is at a source now, in a folder that is removed by `using`. */
export interface Distribution extends Disposable {
  readonly dir: string
  readonly commit: string
  readonly facts: z.infer<typeof facts>
  readonly files: readonly PortableFile[]
  /** What is not taken over: links, what is personal, and what no plugin names as portable. */
  readonly skipped: readonly string[]
}

const record = z.object({
  url: z.string(),
  ref: z.string().optional(),
  commit: z.string(),
  version: z.string().optional(),
  isWithoutSkills: z.boolean().default(false),
  /** Hashes of the files as they came, by path. */
  files: z.record(z.string(), z.string()),
})

/** What is kept of where the files of a profile came from, in `distribution.json`. */
export type DistributionRecord = z.infer<typeof record>

/** Throws `PROFILE_SOURCE`. */
export async function fetchDistribution(
  ctx: HomeContext,
  source: GitSource,
  { isWithoutSkills, signal }: { readonly isWithoutSkills: boolean; readonly signal: AbortSignal },
): Promise<Distribution> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-profile-'))
  const remove = () => rmSync(dir, { recursive: true, force: true })
  try {
    const commit = await fetchSource(ctx, source, dir, signal)
    const { shared, personal } = listPortable(ctx)
    const names = shared.filter((name) => !(isWithoutSkills && name === 'skills'))
    const { files, skipped } = listFiles(dir, names)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    if (bytes > MAX_BYTES || files.length > MAX_FILES)
      throw refuse(`it has more than ${MAX_FILES} files or ${MAX_BYTES / 2 ** 20} MiB`)
    const left = [...personal, '.env'].filter((name) => existsSync(join(dir, name)))
    return {
      ...{ dir, commit, files, facts: readFacts(dir), skipped: [...skipped, ...left] },
      [Symbol.dispose]: remove,
    }
  } catch (error) {
    remove()
    throw error
  }
}

function readFacts(dir: string): z.infer<typeof facts> {
  const path = join(dir, 'distribution.yaml')
  if (!existsSync(path)) return facts.parse({})
  const parsed = facts.safeParse(readYaml(path))
  if (parsed.success) return parsed.data
  throw refuse(`its distribution.yaml is wrong: ${z.prettifyError(parsed.error).slice(0, 300)}`)
}

function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8').slice(0, MAX_FACTS), { maxAliasCount: 0 }) ?? {}
  } catch (cause) {
    throw refuse('its distribution.yaml is no YAML', cause)
  }
}

/** The last part of an address, as the name of a profile. */
export function nameSource({ url }: GitSource, given: string | undefined): string {
  return given ?? basename(url.replace(/[/:]+$/, '').replace(':', '/')).replace(/\.git$/, '')
}

export function hashFile(path: string): string | undefined {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : undefined
}

/** Undefined where a profile does not come from a repository. */
export function readRecord(dir: string): DistributionRecord | undefined {
  const path = join(dir, RECORD)
  const value = existsSync(path) ? tryParseJson(readFileSync(path, 'utf8'))?.value : undefined
  return record.safeParse(value).data
}

export async function writeRecord(dir: string, written: DistributionRecord): Promise<void> {
  await writeAtomically(join(dir, RECORD), `${JSON.stringify(written, undefined, 2)}\n`)
}

export function refuse(why: string, cause?: unknown): SvcError {
  return new SvcError('PROFILE_SOURCE', `The profile is not taken over: ${why}. Nothing was changed.`, {
    status: 400,
    ...(cause !== undefined && { cause }),
  })
}
