/** What an update works on: where svc is installed, by what, and where newer versions come from. */
import { Home, type PluginContext } from 'svc/sdk'
import { createRun, detectInstallation } from './detect.ts'
import { readChosen } from './entry-file.ts'
import { explainForeign } from './foreign.ts'
import type { Installation } from './installation.ts'
import type { SourceDeps, UpdateSource } from './source.ts'
import { gitSource } from './source-git.ts'
import { npmSource } from './source-npm.ts'

export interface OpenInstallation extends SourceDeps {
  /** What updates it, as sentences; undefined where svc does. */
  readonly foreign: string | undefined
}

/** Throws `UPDATE_METHOD` for a folder that is not an installation. */
export async function openInstallation(ctx: PluginContext<undefined>, signal: AbortSignal): Promise<OpenInstallation> {
  const run = createRun(ctx, signal)
  const { installation, system } = await detectInstallation(ctx.use(Home).root, run)
  const foreign = explainForeign(installation, system?.upgrade)
  const followed = foreign === undefined ? readChosen(installation).current.branch : undefined
  return { installation, run, followed, foreign }
}

export function chooseSource({ method }: Installation): UpdateSource {
  return method === 'git' ? gitSource : npmSource
}
