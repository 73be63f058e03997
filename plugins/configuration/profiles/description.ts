/** `profile.yaml`: what a profile is for, in a sentence or two. */
import { existsSync, lstatSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from 'svc/sdk/kit/files'
import { parse, stringify } from 'yaml'
import { z } from 'zod'

/** As the file has it; a text of the user may be as long as they like within `MAX_BYTES`. */
export interface Description {
  readonly description: string
  /** A model wrote it, so that another one may replace it. */
  readonly description_auto: boolean
}

export const EMPTY: Description = { description: '', description_auto: false }
/** A larger file is not one that svc wrote. */
const MAX_BYTES = 65_536

const file = z.looseObject({ description: z.string().default(''), description_auto: z.boolean().default(false) })

/** Of a home. A file that cannot be read as one counts as empty. */
export function readDescription(dir: string): Description {
  const { description, description_auto } = readFile(dir) ?? EMPTY
  return { description: description.trim(), description_auto }
}

/**
 * Replaces it; other keys stay. A file that could not be read is kept as `profile.yaml.damaged-<time>`, whose name is returned.
 * `now` is in milliseconds since 1970. Throws the error of the system.
 */
export async function writeDescription(dir: string, value: Description, now: number): Promise<string | undefined> {
  const path = getDescriptionFile(dir)
  const before = readFile(dir)
  let kept: string | undefined
  if (!before && lstatSync(path, { throwIfNoEntry: false })) {
    kept = `profile.yaml.damaged-${new Date(now).toISOString().replace(/[:.]/g, '-')}`
    renameSync(path, join(dir, kept))
  }
  await writeAtomically(path, stringify({ ...before, ...value }))
  return kept
}

export function getDescriptionFile(dir: string): string {
  return join(dir, 'profile.yaml')
}

/** Undefined if it does not exist or cannot be read. */
function readFile(dir: string): z.infer<typeof file> | undefined {
  const path = getDescriptionFile(dir)
  try {
    if (!existsSync(path) || lstatSync(path).size > MAX_BYTES) return undefined
    return file.parse(parse(readFileSync(path, 'utf8'), { maxAliasCount: 0 }) ?? {})
  } catch {
    // Counts as empty, as the function says.
    return undefined
  }
}
