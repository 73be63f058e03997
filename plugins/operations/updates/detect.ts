/** The installation that runs, on this machine. */
import { existsSync } from 'node:fs'
import { Clock, type PluginContext, Secrets } from 'svc/sdk'
import type { ChildRun } from 'svc/sdk/kit/process'
import { findInstallation, type Installation } from './installation.ts'
import { findSystemPackage, type SystemPackage } from './system-package.ts'

export function createRun(ctx: PluginContext<undefined>, signal: AbortSignal): ChildRun {
  return { clock: ctx.use(Clock), secrets: ctx.use(Secrets), signal }
}

/** `home` is the root home. Throws `UPDATE_METHOD`. */
export async function detectInstallation(
  home: string,
  run: ChildRun,
): Promise<{ readonly installation: Installation; readonly system: SystemPackage | undefined }> {
  let system: SystemPackage | undefined
  const installation = await findInstallation({
    home,
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    findPackage: async (file) => {
      system = await findSystemPackage(file, run)
      return system?.name
    },
  })
  return { installation, system }
}
