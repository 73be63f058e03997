/**
 * Locks scripts up: they read the project and the tools of this machine, write nothing but scratch files, reach no network,
 * see no other process, and end with svc. By the service `ProcessSandbox`.
 */
import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProcessSandbox, SandboxedLaunch } from 'svc/sdk/shell'

export interface SandboxDeps {
  readonly confinement: () => ProcessSandbox | undefined
}

/** What a locked-up program may see besides. */
export interface SandboxOptions {
  readonly cwd: string
  /** The folder of the script, which ends with it. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** Whether and how programs can be locked up here. */
export class Sandbox {
  readonly #deps: SandboxDeps

  constructor(deps: SandboxDeps) {
    this.#deps = deps
  }

  async works(): Promise<boolean> {
    return (await this.#deps.confinement()?.status())?.works === true
  }

  /** How to run a command locked up. Throws what `Confinement.launch` throws. */
  async launch({ cwd, folder, environment }: SandboxOptions, command: readonly string[]): Promise<SandboxedLaunch> {
    const confinement = this.#deps.confinement()
    if (confinement === undefined) throw new Error('the service confinement has gone')
    const temporary = join(folder, 'private')
    await mkdir(temporary)
    const launch = await confinement.launch(command, {
      ...{ project: await confinement.findProject(cwd), access: 'read', cwd, temporary, environment },
      needs: [`read:${folder}/script`],
    })
    const close = async () => {
      await launch.close()
      rmSync(temporary, { recursive: true, force: true })
    }
    return { ...launch, close, [Symbol.asyncDispose]: close }
  }
}

/** Where programs are looked for when the environment does not say. */
export const STANDARD_PATH = '/usr/local/bin:/usr/bin:/bin'
