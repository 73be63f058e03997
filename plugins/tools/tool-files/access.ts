/** The files that a call is about: those of this machine, or of the environment that the commands of its session run in. */
import type { ResolvedPath } from 'svc/sdk/safety'
import type { ByteSource } from './line-window.ts'
import type { Stamp } from './read-history.ts'

/** An ordinary file that may be replaced. */
export interface ExistingFile {
  readonly size: number
  /** Permission bits. */
  readonly mode: number
  readonly stamp: Stamp
}

/** A file that is to be written or removed. */
export interface PlannedWrite {
  readonly path: string
  /** What was there when the new text was made; undefined when nothing was. */
  readonly before: ExistingFile | undefined
  /** Undefined: removed. */
  readonly text: string | undefined
  /** Permission bits of a new file. */
  readonly mode?: number | undefined
}

/** A file that is open for reading. */
export interface OpenSource {
  readonly source: ByteSource
  readonly size: number
  readonly stamp: Stamp
  /** Where it really is. */
  readonly path: string
  close(): Promise<void>
}

/** Paths that are given are as a model writes them; all others are real ones. All methods throw `FILE_...` errors. */
export interface FileAccess {
  /** An existing file or folder that may be read. */
  readable(path: string): Promise<ResolvedPath>
  /** Where a write really goes, if it may. */
  writable(path: string): Promise<ResolvedPath>
  /** Whether a real path may be read. */
  isReadable(path: string): boolean
  /** Throws `FILE_PROTECTED` for a real path that may not be read. */
  checkReadable(path: string): void
  /** The existing file, if it may be replaced; undefined if there is none. */
  examine(path: string): Promise<ExistingFile | undefined>
  /** Opens an ordinary file that may be read, by its path as a model writes it. */
  open(path: string, signal: AbortSignal): Promise<OpenSource>
  /** All of an ordinary file that may be read. */
  readWhole(path: string): Promise<Buffer>
  /** All writes or none. */
  commit(writes: readonly PlannedWrite[], signal: AbortSignal): Promise<void>
  /** What is there now; undefined when nothing is. */
  stamp(path: string): Promise<Stamp | undefined>
  /** Names the file among those of all environments. */
  key(path: string): string
  /** Where texts of these files came from (see `ToolResult.origin`). */
  origin(paths: readonly string[]): Promise<string | undefined>
}
