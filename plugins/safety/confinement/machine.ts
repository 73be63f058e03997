/** What confinement knows of this machine, and how its paths are compared. */
import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { containsSvcHome, findSecretLocation, findSvcLocation } from 'svc/sdk/safety'

/** Paths without links. */
export interface Machine {
  /** The folder of the user. */
  readonly home: string
  /** Where programs keep temporary files. */
  readonly temporary: string
  /** SVC_HOME and the folder of the profile. */
  readonly svcHomes: readonly string[]
}

/** Whether a path is a folder or below it. */
export function isWithin(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false
  return path.length === folder.length || folder === sep || path[folder.length] === sep
}

/** Without links, as far as the path exists. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realPath(above), path.slice(above === sep ? 1 : above.length + 1))
  }
}

/** What is at a path, links not followed; undefined when nothing is, or it cannot be seen. */
export function readStats(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** Why a path is never granted: it belongs to svc, or holds secrets. Undefined when it may be. */
export function explainNeverGranted(path: string, machine: Machine): string | undefined {
  if (findSvcLocation(path, machine.svcHomes) === 'closed') return 'belongs to svc'
  if (containsSvcHome(path, machine.svcHomes)) return 'holds the home of svc'
  if (isWithin(machine.home, path)) return 'holds the home folder: name a folder in it'
  return findSecretLocation(path, machine.home)
}
