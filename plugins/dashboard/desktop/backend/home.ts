/** Which root home the desktop and its backends use. Each rule that does not apply leads to the next. */
import { basename, dirname, join } from 'node:path'

export interface HomeDeps {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** `~`. */
  readonly userFolder: string
  exists(path: string): boolean
  /** Windows: a variable of the user as it is stored, which a program started from the desktop may not have yet. */
  readUserVariable(name: string): Promise<string | undefined>
}

export async function resolveHome(deps: HomeDeps): Promise<string> {
  const given = deps.environment['SVC_HOME'] || undefined
  if (given !== undefined) return liftProfile(given)
  const userData = deps.environment['SVC_DESKTOP_USER_DATA_DIR'] || undefined
  if (userData !== undefined) return join(userData, 'svc-home')
  const hidden = join(deps.userFolder, '.svc')
  if (deps.platform !== 'win32') return hidden
  const stored = await deps.readUserVariable('SVC_HOME')
  if (stored !== undefined) return liftProfile(stored)
  const local = join(deps.environment['LOCALAPPDATA'] ?? join(deps.userFolder, 'AppData', 'Local'), 'svc')
  return !deps.exists(local) && deps.exists(hidden) ? hidden : local
}

/** The home of a profile is inside of its root. */
function liftProfile(home: string): string {
  const folder = dirname(home)
  return basename(folder) === 'profiles' ? dirname(folder) : home
}
