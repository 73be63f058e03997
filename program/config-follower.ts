/** Follows edits of `config.yaml`, `.env` and foreign plugin folders while the program runs. */
import { readdirSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Kernel } from '../kernel/kernel.ts'
import { errorCode, errorMessage } from '../sdk/errors.ts'
import type { PluginInfo, PluginOrigin } from '../sdk/plugins.ts'

/** Edits come in bursts; they are handled once they settle. */
const SETTLE_MS = 150
/** Some ways to save a file, such as in place and by rename within milliseconds, cause no event of the system. */
const POLL_MS = 2000

/** Events only trigger a check: changes are found by comparing the files. */
export class ConfigFollower {
  #kernel: Kernel
  #config: { readonly file: string }
  #onReloaded: (plugin: string, generation: number) => void
  #watcher: { close(): Promise<void>; add(paths: string[]): unknown } | undefined
  #timer: (() => void) | undefined
  #isOver = false
  /** What was handled last, by file or folder. */
  #known: Map<string, string> = new Map()
  /** Listed again after a change; to describe all plugins at each look would keep an idle process busy. */
  #dirs: readonly string[] | undefined

  /** `onReloaded` is told of an edit of a folder that was named for this run, once it is in effect. */
  constructor(
    kernel: Kernel,
    config: { readonly file: string },
    onReloaded: (plugin: string, generation: number) => void = () => {},
  ) {
    this.#kernel = kernel
    this.#config = config
    this.#onReloaded = onReloaded
  }

  async start(): Promise<void> {
    if (this.#watcher) return
    const { watch } = await import('chokidar')
    const { home } = this.#kernel
    const files = this.#files()
    // The folder is watched, not the files: they may be made, or replaced, while the program runs.
    const ignored = (path: string) => {
      if (path === home.dir || files.includes(path)) return false
      const dir = this.#foreign().find((info) => path === info.dir || path.startsWith(info.dir + sep))?.dir
      return dir === undefined || /[\\/](node_modules|\.git)([\\/]|$)/.test(path.slice(dir.length))
    }
    const dirs = this.#foreign().map(({ dir }) => dir)
    const watcher = watch([home.dir, ...dirs], { ignoreInitial: true, ignored, persistent: false })
    for (const path of [...files, ...dirs]) this.#known.set(path, readFileState(path))
    watcher.on('all', () => {
      this.#dirs = undefined
      this.#lookIn(SETTLE_MS)
    })
    await new Promise<void>((resolve) => void watcher.once('ready', () => resolve()))
    this.#watcher = watcher
    if (this.#isOver) return watcher.close()
    await this.#kernel.applyConfig()
    this.#lookIn(POLL_MS)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    this.#timer?.()
    await this.#watcher?.close()
  }

  #files(): string[] {
    const { home } = this.#kernel
    return [...new Set([this.#config.file, home.path('config.yaml'), home.path('.env')])]
  }

  /** The plugins that a user may edit. */
  #foreign(): PluginInfo[] {
    return this.#kernel.plugins
      .list()
      .filter(({ dir, origin }) => dir && origin !== 'built-in' && origin !== 'embedded')
  }

  #lookIn(ms: number): void {
    this.#timer?.()
    if (!this.#isOver) this.#timer = this.#kernel.ports.clock.after(ms, () => void this.#look(), { background: true })
  }

  async #look(): Promise<void> {
    this.#timer = undefined
    const kernel = this.#kernel
    if (this.#files().filter((path) => this.#hasChanged(path)).length > 0) {
      await kernel.applyConfig()
      this.#dirs = undefined
    }
    this.#dirs ??= this.#foreign().map(({ dir }) => dir)
    for (const dir of this.#dirs) {
      const isNew = !this.#known.has(dir)
      if (isNew) this.#watcher?.add([dir])
      if (!this.#hasChanged(dir) || isNew) continue
      const plugin = this.#foreign().find((each) => each.dir === dir)
      if (plugin && plugin.generation > 0) await this.#reload(plugin.manifest.name, plugin.origin)
    }
    if (!this.#timer) this.#lookIn(POLL_MS)
  }

  async #reload(name: string, origin: PluginOrigin): Promise<void> {
    const kernel = this.#kernel
    try {
      await kernel.reload(name)
      if (origin !== 'command-line') return
      const generation = kernel.generations.live(name)?.owner.generation ?? 0
      kernel.getLog(name).info('reloaded', { generation })
      this.#onReloaded(name, generation)
    } catch (error) {
      if (origin !== 'command-line') return kernel.getLog('kernel').error(`${name} was not reloaded`, { error })
      // Its author waits for the result of the edit, whatever was wrong with it.
      kernel.report({ plugin: name, stage: 'reload', message: errorMessage(error), code: errorCode(error) })
    }
  }

  /** Since it was asked last. */
  #hasChanged(path: string): boolean {
    const state = readFileState(path)
    const isOther = this.#known.get(path) !== state
    this.#known.set(path, state)
    return isOther
  }
}

/** Differs after every save: of a file, or of the files in a folder but for its packages. */
function readFileState(path: string): string {
  try {
    const stat = statSync(path, { bigint: true })
    if (!stat.isDirectory()) return `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.size}`
    const names = readdirSync(path).filter((name) => name !== 'node_modules' && name !== '.git')
    return names.map((name) => `${name} ${readFileState(join(path, name))}`).join('\n')
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
