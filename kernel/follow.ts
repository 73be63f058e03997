/** Follows edits of `config.yaml`, `.env` and foreign plugin folders while the program runs. */
import { basename, sep } from 'node:path'
import type { PluginInfo } from '../sdk/plugins.ts'
import type { Kernel } from './kernel.ts'

const SETTLE_MS = 150

/** Edits come in bursts; what they touched is handled once they settle. */
export class ConfigFollower {
  #kernel: Kernel
  #watcher: { close(): Promise<void> } | undefined
  #cancel = () => {}
  #touched: Set<string> = new Set()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  async start(): Promise<void> {
    if (this.#watcher) return
    const { watch } = await import('chokidar')
    const { home, config } = this.#kernel
    const dirs = this.#foreign().map(({ dir }) => dir)
    const files = [config.file, home.path('config.yaml'), home.path('.env')]
    // The folder is watched, not the files: they may be made, or replaced, while the program runs.
    const ignored = (path: string) => {
      if (path === home.dir || files.includes(path)) return false
      const dir = dirs.find((each) => isIn(each, path))
      return dir === undefined || /[\\/](node_modules|\.git)([\\/]|$)/.test(path.slice(dir.length))
    }
    const watcher = watch([home.dir, ...dirs], { ignoreInitial: true, ignored, persistent: false })
    watcher.on('all', (_event, path) => this.#settle(path))
    await new Promise<void>((resolve) => void watcher.once('ready', () => resolve()))
    this.#watcher = watcher
    await this.#kernel.applyConfig()
  }

  async stop(): Promise<void> {
    this.#cancel()
    await this.#watcher?.close()
  }

  /** The plugins that a user may edit. */
  #foreign(): PluginInfo[] {
    return this.#kernel.list().filter(({ dir, origin }) => dir && origin !== 'built-in' && origin !== 'embedded')
  }

  #settle(path: string): void {
    this.#touched.add(path)
    this.#cancel()
    this.#cancel = this.#kernel.ports.clock.after(SETTLE_MS, () => void this.#handle(), { background: true })
  }

  async #handle(): Promise<void> {
    const touched = [...this.#touched]
    this.#touched.clear()
    const kernel = this.#kernel
    const log = kernel.logOf('kernel')
    const configs = [basename(kernel.config.file), '.env']
    if (touched.some((path) => configs.includes(basename(path)))) await kernel.applyConfig()
    const changed = this.#foreign().filter(({ dir, generation }) => {
      return generation > 0 && touched.some((path) => isIn(dir, path))
    })
    for (const { manifest } of changed)
      await kernel.reload(manifest.name).catch((error) => log.error(`${manifest.name} was not reloaded`, { error }))
  }
}

function isIn(dir: string, path: string): boolean {
  return path === dir || path.startsWith(dir + sep)
}
