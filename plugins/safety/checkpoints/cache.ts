/**
 * What was last seen of a project: which tree of the store holds it, and how each file looked from outside, so that only
 * changed files are read again. Without it everything is read again; that is all there is to lose.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** A file from outside. */
export interface FileState {
  readonly size: number
  /** Permission bits. */
  readonly mode: number
  readonly link: boolean
  /** When its content last changed, as the file system says. */
  readonly changedAt: number
  /** Changes whenever the file does; empty when that is not sure. */
  readonly mark: string
}

/** A project as it was seen. */
export interface ProjectState {
  readonly root: string
  /** The tree of the store. */
  readonly tree: string
  readonly files: ReadonlyMap<string, FileState>
  /** The newest snapshot. `rest` is a digest of its record without the tree. */
  readonly last?: { readonly id: string; readonly tree: string; readonly rest: string }
  /** Snapshots there are. */
  readonly count: number
  /** The number in the name of the newest one. */
  readonly sequence: number
}

const VERSION = 1

export function readProjectState(file: string): ProjectState | undefined {
  try {
    const { version, files, ...seen } = JSON.parse(readFileSync(file, 'utf8'))
    return version === VERSION ? { ...seen, files: new Map(files) } : undefined
  } catch {
    // Missing or cut off: the files are read again.
    return undefined
  }
}

export function writeProjectState(file: string, seen: ProjectState): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify({ ...seen, version: VERSION, files: [...seen.files] }), { mode: 0o600 })
  renameSync(draft, file)
}

export function removeProjectState(file: string): void {
  rmSync(file, { force: true })
}
