/** The folders that are watched, each once, for as long as a plugin listens. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type PluginContext, SvcError } from 'svc/sdk'
import type { FileWatch, FileWatcher } from 'svc/sdk/storage'
import { FolderWatch } from './folder-watch.ts'
import { Listener } from './listener.ts'

const MAX_FOLDERS = 32

/** Who calls, as the kernel fills it in. */
type Caller = Parameters<FileWatcher['watch']>[1]

/** Contract: `FileWatcher` of the SDK. */
export class FolderWatches implements FileWatcher {
  readonly #ctx: PluginContext<undefined>
  readonly #open = new Map<string, FolderWatch>()

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  async watch(watch: FileWatch, caller?: Caller): Promise<() => Promise<void>> {
    const folder = resolve(watch.folder)
    const stats = await stat(folder).catch(() => undefined)
    if (!stats?.isDirectory()) throw new SvcError('FILE_WATCH_FOLDER', `There is no folder ${folder} to watch.`)
    const listener = new Listener(this.#ctx, { ...watch, folder }, caller?.plugin)
    const found = this.#open.get(folder) ?? this.#begin(folder)
    found.listeners.add(listener)
    const leave = async () => {
      listener.close()
      if (!found.listeners.delete(listener) || found.listeners.size > 0) return
      this.#open.delete(folder)
      await found.close()
    }
    try {
      await found.isReady
      return leave
    } catch (error) {
      await leave()
      throw error
    }
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map((watch) => watch.close()))
  }

  #begin(folder: string): FolderWatch {
    if (this.#open.size >= MAX_FOLDERS)
      throw new SvcError('FILE_WATCH_LIMIT', `${MAX_FOLDERS} folders are watched already; ${folder} is not.`)
    const watch = new FolderWatch(folder, this.#ctx.log)
    this.#open.set(folder, watch)
    return watch
  }
}
