/** The versions next to an installation: one is added, tried and chosen; those that no choice names are removed. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { flushFolderSync } from 'svc/sdk/kit/files'
import { type ChildRun, runChild } from 'svc/sdk/kit/process'
import { type Chosen, createChoice, isThere, readChosen, writeChosen } from './entry-file.ts'
import { getEntry, type Installation, OWNER_FILE } from './installation.ts'
import { rehearse } from './rehearse.ts'
import type { Candidate, SourceDeps, UpdateSource } from './source.ts'

export interface InstallOptions {
  readonly source: UpdateSource
  readonly candidate: Candidate
  readonly deps: SourceDeps
  /** The root home. */
  readonly home: string
  /** A folder that is made for the rehearsal and removed after it. */
  readonly work: string
  readonly plugins: ReadonlyMap<string, string>
  /** Returns the file. */
  backUp?(): Promise<string>
  say(line: string): void
}

const LIMIT_MS = 60_000
/** Digits of an id that name a folder; a commit has more. */
const ID_LENGTH = 80

/** Throws `UPDATE_SOURCE`, `UPDATE_REHEARSAL`, `UPDATE_SWITCH` and errors of backups; the version in use is then still that. */
export async function installVersion(options: InstallOptions): Promise<{ chosen: Chosen; backup: string | undefined }> {
  const { source, candidate, deps, home, work, plugins, say } = options
  const { installation, run } = deps
  const { versions, base } = installation
  const before = readChosen(installation)
  prepareVersions(installation, before)
  const id = candidate.id.slice(0, ID_LENGTH)
  // A folder that a choice names stays as it is: the same version may be installed once more.
  const dir = findFree(versions, id)
  const part = join(versions, `.${basename(dir)}.part`)
  try {
    mkdirSync(part, { mode: 0o755 })
    say(`Installing ${candidate.title} in ${dir}`)
    const root = await source.place(deps, candidate, part)
    mkdirSync(work, { recursive: true, mode: 0o700 })
    const report = (line: string) => say(`ok  ${line}`)
    const version = await rehearse(root, { run, home, work, currentRoot: installation.root, plugins, report })
    const backup = await options.backUp?.()
    run.signal.throwIfAborted()
    renameSync(part, dir)
    flushFolderSync(versions)
    const current = createChoice(installation, {
      ...{ id: basename(dir), version, branch: candidate.branch },
      root: join(dir, relative(part, root)),
    })
    const chosen = { current, previous: before.current }
    await choose(installation, chosen, run)
    tidy(installation, chosen)
    return { chosen, backup }
  } catch (error) {
    run.signal.throwIfAborted()
    if (error instanceof SvcError) throw error
    const message = `${candidate.title} cannot be installed in ${versions}: ${errorMessage(error)}. ${base} is as it was.`
    throw new SvcError('UPDATE_SOURCE', message, { status: 507, cause: error })
  } finally {
    for (const left of [part, work]) rmSync(left, { recursive: true, force: true })
  }
}

/** Exchanges the version in use with the one before. Throws `UPDATE_ROLLBACK`, `UPDATE_SWITCH`. */
export async function rollBack(installation: Installation, run: ChildRun): Promise<Chosen> {
  const { current, previous } = readChosen(installation)
  if (previous === undefined)
    throw new SvcError('UPDATE_ROLLBACK', 'There is no version to go back to: no update was made here.', {
      status: 404,
    })
  if (!isThere(installation, previous)) {
    const message = `svc ${previous.version} is not in ${installation.versions} any more, so there is nothing to go back to.`
    throw new SvcError('UPDATE_ROLLBACK', message, { status: 404 })
  }
  const chosen = { current: previous, previous: current }
  await choose(installation, chosen, run)
  return chosen
}

/** Chooses a version, and takes that back if it does not start from the entry file. */
async function choose(installation: Installation, chosen: Chosen, run: ChildRun): Promise<void> {
  const undo = writeChosen(installation, chosen)
  const options = { cwd: installation.base, timeoutMs: LIMIT_MS }
  const words = [getEntry(installation.base), '--version']
  try {
    const { out, err } = await runChild(process.execPath, words, run, options)
    if (out.trim() === chosen.current.version) return
    const said = (err || out).trim().slice(0, 400)
    throw new SvcError('UPDATE_SWITCH', `svc ${chosen.current.version} does not start from ${words[0]}: ${said}`)
  } catch (error) {
    undo()
    throw error
  }
}

/** Creates the folder of versions, and removes what a killed update left in it. Throws `UPDATE_SOURCE`. */
function prepareVersions(installation: Installation, chosen: Chosen): void {
  const { versions, base } = installation
  try {
    mkdirSync(versions, { recursive: true, mode: 0o755 })
    writeFileSync(join(versions, OWNER_FILE), `${JSON.stringify({ base: basename(base) })}\n`)
    removeUnused(installation, chosen)
  } catch (cause) {
    const message = `${versions} cannot be written: ${errorMessage(cause)}. Run the update as the user who installed svc.`
    throw new SvcError('UPDATE_SOURCE', message, { cause })
  }
}

function removeUnused({ versions, root }: Installation, { current, previous }: Chosen): void {
  const used = new Set([current.id, previous?.id, OWNER_FILE])
  for (const name of readdirSync(versions)) {
    const dir = join(versions, name)
    // The version that runs reads files when it needs them.
    if (!used.has(name) && !`${root}/`.startsWith(`${dir}/`)) rmSync(dir, { recursive: true, force: true })
  }
}

/** The update is done: what cannot be removed is left to the next one. */
function tidy(installation: Installation, chosen: Chosen): void {
  try {
    removeUnused(installation, chosen)
  } catch {
    // `prepareVersions` names the folder that cannot be written.
  }
}

function findFree(versions: string, id: string): string {
  for (let count = 1; ; count++) {
    const dir = join(versions, count === 1 ? id : `${id}-${count}`)
    if (!existsSync(dir)) return dir
  }
}
