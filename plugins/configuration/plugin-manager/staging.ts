/**
 * Where a plugin is assembled before it is installed: a separate home, so that the host can check it by the very
 * rules it will be loaded by. Only one process at a time has it; nothing of it stays.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, Home, type PluginContext, SvcError } from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import { isPidInUse } from 'svc/sdk/kit/process'
import { obstacle } from './relations.ts'

/** A plugin that lies in the staging home. */
export interface Candidate {
  readonly dir: string
  /** Packages that come along. */
  readonly packages: readonly string[]
  /** Moves it into the real home; returns where it is now and how to undo that. */
  place(name: string): { readonly dir: string; undo(): void }
}

export class Staging {
  /** The stand-in for the home. */
  readonly home: string
  #root: string
  #realNpm: string

  /** Throws `PLUGIN_INSTALL_BUSY` while another process has it. */
  constructor(ctx: PluginContext<undefined>) {
    this.#root = join(ctx.dataDir, 'staging')
    this.home = join(this.#root, 'home')
    this.#realNpm = ctx.use(Home).path('npm')
    mkdirSync(ctx.dataDir, { recursive: true, mode: 0o700 })
    this.#take()
    mkdirSync(this.home, { mode: 0o700 })
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }

  /** Puts the staged `npm` folder in the place of the real one; the returned function puts the old one back. */
  swapNpm(): () => void {
    const [old, fresh] = [this.#oldNpm, join(this.home, 'npm')]
    if (existsSync(this.#realNpm)) renameSync(this.#realNpm, old)
    try {
      renameSync(fresh, this.#realNpm)
    } catch (error) {
      if (existsSync(old)) renameSync(old, this.#realNpm)
      throw error
    }
    return () => {
      renameSync(this.#realNpm, fresh)
      if (existsSync(old)) renameSync(old, this.#realNpm)
    }
  }

  get #oldNpm(): string {
    return join(this.#root, 'npm-before')
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

  /** A process was killed in the middle: what it had moved away goes back. */
  #clearUp(): void {
    if (existsSync(this.#oldNpm) && !existsSync(this.#realNpm)) renameSync(this.#oldNpm, this.#realNpm)
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
