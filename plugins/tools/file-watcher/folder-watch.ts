/** One folder that is watched: what the system says of it, for all who listen. */
import { basename } from 'node:path'
import type { FSWatcher } from 'chokidar'
import type { Logger } from 'svc/sdk'
import type { WatchedChange } from 'svc/sdk/storage'
import type { Listener } from './listener.ts'

const MAX_BELOW = 2000
const IGNORED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules'])
const KINDS = { add: 'added', change: 'changed', unlink: 'removed' } as const

export class FolderWatch {
  readonly listeners = new Set<Listener>()
  /** Rejects when the folder cannot be watched at all. */
  readonly isReady: Promise<void>
  readonly #folder: string
  readonly #log: Logger
  readonly #seen = new Set<string>()
  #watcher: FSWatcher | undefined
  /** A part of the folder is not watched. */
  #isCut = false
  #isOver = false

  constructor(folder: string, log: Logger) {
    this.#folder = folder
    this.#log = log
    this.isReady = this.#start()
  }

  async close(): Promise<void> {
    this.#isOver = true
    for (const listener of this.listeners) listener.close()
    await this.#watcher?.close()
  }

  async #start(): Promise<void> {
    const { watch } = await import('chokidar')
    if (this.#isOver) return
    const watcher = watch(this.#folder, {
      ignoreInitial: true,
      followSymlinks: false,
      persistent: false,
      ignored: (path, stats) => path !== this.#folder && this.#isIgnored(path, stats?.isDirectory() === true),
    })
    this.#watcher = watcher
    for (const [event, kind] of Object.entries(KINDS) as [keyof typeof KINDS, WatchedChange['kind']][])
      watcher.on(event, (path) => this.#tell(path, kind))
    watcher.on('error', (error) => {
      // The system has no watches left, or a folder went while it was looked into.
      this.#cut(`a part of ${this.#folder} is not watched`, error)
    })
    await new Promise<void>((ready) => void watcher.once('ready', () => ready()))
  }

  /** Folders beyond the limit are left out, and those who listen are told that something is missing. */
  #isIgnored(path: string, isFolder: boolean): boolean {
    if (IGNORED.has(basename(path))) return true
    if (!isFolder || this.#seen.has(path)) return false
    if (this.#seen.size >= MAX_BELOW) {
      this.#cut(`${this.#folder} has more than ${MAX_BELOW} folders; the others are not watched`)
      return true
    }
    this.#seen.add(path)
    return false
  }

  #cut(message: string, error?: unknown): void {
    if (!this.#isCut) this.#log.warn(message, { error })
    this.#isCut = true
  }

  #tell(path: string, kind: WatchedChange['kind']): void {
    for (const listener of this.listeners) listener.add({ path, kind }, this.#isCut)
  }
}
