/**
 * Where a plugin is assembled before it is installed: a separate home, so that the host can check it by the very
 * rules it will be loaded by. Only one process at a time has it; nothing of it stays.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, Home, type PluginContext, SvcError } from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import { isPidInUse } from 'svc/sdk/kit/process'
import { obstacle } from './plugin-relations.ts'
import { recover } from './versions/recover.ts'
import { recoverRemoval } from './versions/removal.ts'

export class Staging {
  /** The stand-in for the home. */
  readonly home: string
  /** For downloads. */
  readonly work: string
  #root: string
  #npm: string

  private constructor(root: string, npm: string) {
    this.#root = root
    this.#npm = npm
    this.home = join(root, 'home')
    this.work = join(root, 'work')
  }

  /** Completes or takes back what an ended process left half done. Throws `PLUGIN_INSTALL_BUSY` while another process has it. */
  static async open(ctx: PluginContext<undefined>): Promise<Staging> {
    const staging = new Staging(join(ctx.dataDir, 'staging'), ctx.use(Home).path('npm'))
    mkdirSync(ctx.dataDir, { recursive: true, mode: 0o700 })
    staging.#take()
    try {
      await recover(ctx)
      await recoverRemoval(ctx)
      for (const dir of [staging.home, staging.work]) mkdirSync(dir, { mode: 0o700 })
    } catch (error) {
      staging.close()
      throw error
    }
    return staging
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }

  #take(): void {
    const owner = join(this.#root, 'pid')
    try {
      mkdirSync(this.#root, { mode: 0o700 })
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
      const pid = existsSync(owner) ? Number(readFileSync(owner, 'utf8')) : 0
      if (isPidInUse(pid)) {
        const what = `Process ${pid} is installing or removing a plugin. Wait for it; if there is no such process, delete`
        throw new SvcError('PLUGIN_INSTALL_BUSY', `${what} ${this.#root}`, { status: 409 })
      }
      this.#clearUp()
      mkdirSync(this.#root, { mode: 0o700 })
    }
    writeFileSync(owner, String(process.pid))
  }

  /** Earlier versions of svc moved all packages here while they replaced them. */
  #clearUp(): void {
    const packages = join(this.#root, 'npm-before')
    if (existsSync(packages) && !existsSync(this.#npm)) renameSync(packages, this.#npm)
    this.close()
  }
}

/** What the host says of a staged folder, by its own rules; no code of the plugin runs. Throws `PLUGIN_NOT_USABLE`. */
export async function inspectStaged(home: string, dir: string): Promise<PluginInfo> {
  const { testKernel } = await import('svc/sdk/testing')
  await using kernel = await testKernel({ home })
  const info = kernel.plugins.list().find((plugin) => plugin.dir === dir)
  if (!info) throw new SvcError('PLUGIN_FOLDER', 'It is not a plugin: there is no plugin.json in it.')
  const problem = obstacle(info)
  if (problem) throw new SvcError('PLUGIN_NOT_USABLE', `It cannot be installed: ${problem}.`)
  return info
}

/** The `name` in a plugin.json, if it can be read. Whether the rest is sound is the host's to say. */
export function readManifestName(dir: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(dir, 'plugin.json'), 'utf8')) as { name?: unknown }
    return typeof name === 'string' && /^[a-z][a-z0-9-]{0,63}$/.test(name) ? name : undefined
  } catch (error) {
    if (!existsSync(join(dir, 'plugin.json'))) return undefined
    throw new SvcError('PLUGIN_NOT_USABLE', `plugin.json in ${dir} cannot be read: ${errorMessage(error)}`)
  }
}
