/** How the command of a hook is started: confined where the machine can, as the user configured it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { ProcessSandbox } from 'svc/sdk/shell'
import type { Config } from './config.ts'
import type { Hook } from './hook.ts'
import type { CommandLaunch } from './run-command.ts'

/** A launch, and what ends all that was made for it. */
export interface HookLaunch extends CommandLaunch {
  close(): Promise<void>
}

/** Where and how. */
export interface LaunchDeps {
  readonly mode: Config['confine']
  readonly confinement: () => ProcessSandbox | undefined
  readonly environment: (project: string) => Record<string, string>
}

/** Throws what the confinement throws, and `HOOKS_NOT_CONFINED` where a required one is not there. */
export async function getLaunch(
  hook: Pick<Hook, 'command' | 'args' | 'needs'>,
  place: { readonly cwd: string; readonly project: string },
  { mode, confinement, environment }: LaunchDeps,
): Promise<HookLaunch> {
  const { cwd, project } = place
  const command = hook.args ? [hook.command, ...hook.args] : ['/bin/sh', '-c', hook.command]
  const env = environment(project)
  const found = mode === 'off' ? undefined : confinement()
  const status = await found?.status()
  if (!found || !status?.works) {
    if (mode === 'required') {
      const why = status?.detail ?? 'the plugin confinement does not run'
      throw new SvcError('HOOKS_NOT_CONFINED', `hooks.confine is "required", and the hook did not run: ${why}`)
    }
    return { command, cwd, environment: env, close: async () => {} }
  }
  const temporary = await mkdtemp(join(tmpdir(), 'svc-hook-'))
  const drop = () => rm(temporary, { recursive: true, force: true })
  try {
    const launch = await found.launch(command, { project, cwd, temporary, needs: hook.needs, environment: env })
    const close = async () => {
      await launch.close().finally(drop)
    }
    return { command: launch.command, cwd: launch.cwd, environment: launch.environment, close }
  } catch (error) {
    await drop()
    throw error
  }
}
