/** Follows edits of `config.yaml`, `.env` and foreign plugin folders while the program runs. */
import { basename } from 'node:path'
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
    const kernel = this.#kernel
    const dirs = kernel.list().filter(({ origin, dir }) => dir && origin !== 'built-in' && origin !== 'embedded')
    const paths = [kernel.config.file, kernel.home.path('.env'), ...dirs.map(({ dir }) => dir)]
    const ignored = /[\\/](node_modules|\.git)([\\/]|$)/
    const watcher = watch(paths, { ignoreInitial: true, ignored, persistent: false })
    watcher.on('all', (_event, path) => this.#settle(path))
    await new Promise<void>((resolve) => void watcher.once('ready', () => resolve()))
    this.#watcher = watcher
  }

  async stop(): Promise<void> {
    this.#cancel()
    await this.#watcher?.close()
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
    const changed = kernel.list().filter(({ dir, generation }) => {
      return generation > 0 && dir && touched.some((path) => path.startsWith(dir))
    })
    for (const { manifest } of changed)
      await kernel.reload(manifest.name).catch((error) => log.error(`${manifest.name} was not reloaded`, { error }))
  }
}
