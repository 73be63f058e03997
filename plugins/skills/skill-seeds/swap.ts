/**
 * Folders of skills are replaced as a whole. New ones are made complete in `skills/.seeding`, a journal says what is to be renamed
 * over what, then the renames follow. A process that is killed leaves each skill as it was or as it is to be, and the next run
 * completes what the journal says.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tryParseJson } from 'svc/sdk'
import { flushFolder, writeAtomically } from 'svc/sdk/kit/files'
import { z } from 'zod'
import { readManifest, writeManifest } from './manifest.ts'
import { copyFolder, hashFolder } from './tree.ts'

const change = z.object({
  name: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  /** Below the root of skills. */
  path: z.string().regex(/^(?!\.)[^/\\\0]+(?:\/(?!\.)[^/\\\0]+)?$/),
  /** Hash of the folder that is there; null for none. */
  from: z.string().nullable(),
  /** Hash of the folder that is to be there; null for none. */
  to: z.string().nullable(),
})
const journalSchema = z.array(change)

/** A folder that appears, is replaced, or disappears. */
export type Swap = z.infer<typeof change>

/** How changes are made. */
export interface SwapOptions {
  /** Of the folder of the program for a skill that is to be copied. */
  findSource(swap: Swap): string
  /** Waits until the copies are on disk. */
  readonly flush: boolean
  readonly digest?: string
  /** Adds to what is recorded. */
  record(origins: Map<string, string>): void
}

const STAGE = '.seeding'
const BACKUP = '.bak'

/**
 * Makes the changes, then records them in the manifest; `digest` is that of its source. Returns those that were not made, because
 * the folder had changed meanwhile. Throws the error of the system, and `Error` for a source that is not what its hash says; the
 * skills are then as before.
 */
export async function applySwaps(root: string, swaps: readonly Swap[], options: SwapOptions): Promise<readonly Swap[]> {
  const { digest, record } = options
  const stage = join(root, STAGE)
  rmSync(stage, { recursive: true, force: true })
  const missed: Swap[] = []
  try {
    if (swaps.length > 0) {
      mkdirSync(join(stage, 'new'), { recursive: true })
      for (const swap of swaps) prepare(stage, swap, options)
      await writeAtomically(join(stage, 'journal.json'), JSON.stringify(swaps))
    }
    for (const swap of swaps) if (!exchange(root, swap)) missed.push(swap)
    await flushAll(root, swaps)
  } catch (error) {
    if (!existsSync(join(stage, 'journal.json'))) rmSync(stage, { recursive: true, force: true })
    throw error
  }
  const origins = new Map(readManifest(root).origins)
  for (const swap of swaps) if (!missed.includes(swap)) note(origins, swap)
  record(origins)
  await writeManifest(root, { digest: missed.length > 0 ? undefined : digest, origins })
  rmSync(stage, { recursive: true, force: true })
  return missed
}

/** Completes what a process left that was killed. Throws the error of the system. */
export async function recoverSwaps(root: string): Promise<void> {
  const stage = join(root, STAGE)
  if (!existsSync(stage)) return
  const swaps = readJournal(join(stage, 'journal.json'))
  if (swaps.length > 0) {
    const { origins } = readManifest(root)
    const known = new Map(origins)
    for (const swap of swaps) {
      const { name, path, to } = swap
      // The folder was moved away and nothing took its place: this is where the process ended.
      if (to !== null && hashFolder(join(root, path)) === undefined && hashFolder(join(stage, 'new', name)) === to)
        placeNew(root, swap)
      if ((hashFolder(join(root, path)) ?? null) === to) note(known, swap)
    }
    await flushAll(root, swaps)
    await writeManifest(root, { digest: undefined, origins: known })
  }
  rmSync(stage, { recursive: true, force: true })
}

function prepare(stage: string, swap: Swap, { findSource, flush }: SwapOptions): void {
  if (swap.to === null) return
  copyFolder(findSource(swap), join(stage, 'new', swap.name), { hash: swap.to, flush })
}

/** False when the folder is not the one that was decided about: an editor may have saved meanwhile. */
function exchange(root: string, swap: Swap): boolean {
  const there = join(root, swap.path)
  if ((hashFolder(there) ?? null) !== swap.from) return false
  if (swap.from !== null) {
    const aside = swap.to === null ? join(root, STAGE, 'old', swap.name) : join(root, BACKUP, swap.name)
    rmSync(aside, { recursive: true, force: true })
    mkdirSync(dirname(aside), { recursive: true })
    renameSync(there, aside)
  }
  if (swap.to !== null) placeNew(root, swap)
  return true
}

function placeNew(root: string, { name, path }: Swap): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  renameSync(join(root, STAGE, 'new', name), join(root, path))
}

function note(origins: Map<string, string>, { name, to }: Swap): void {
  if (to === null) origins.delete(name)
  else origins.set(name, to)
}

async function flushAll(root: string, swaps: readonly Swap[]): Promise<void> {
  const folders = new Set(swaps.map(({ path }) => dirname(join(root, path))))
  await Promise.all([...folders, root].map((folder) => flushFolder(folder)))
}

/** What cannot be read was not complete, so nothing had begun. */
function readJournal(file: string): readonly Swap[] {
  if (!existsSync(file)) return []
  const parsed = journalSchema.safeParse(tryParseJson(readFileSync(file, 'utf8'))?.value)
  return parsed.success ? parsed.data : []
}
