/** What a confined program sees and may change: one description that each backend translates. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { findSecretLocation, findSvcLocation } from 'svc/sdk/safety'
import type { SandboxPolicy } from 'svc/sdk/shell'
import { type Guarded, listGuarded } from './guarded.ts'
import { isWithin, type Machine, readStats, realPath } from './machine.ts'
import { type ParsedNeed, readNeeds } from './needs.ts'
import { isOneProject } from './project.ts'
import { findHidden, findOpenOfHome, findVisible } from './visible.ts'

/** All paths are of this machine, absolute. Deeper ones go before those above them. */
export interface View {
  readonly project: string
  readonly home: string
  /** Becomes the folder of the user. */
  readonly privateHome: string
  /** Becomes `/tmp`. */
  readonly temporary: string
  /** Can be read. */
  readonly shown: readonly string[]
  /** Can be written to. */
  readonly writable: readonly string[]
  /** Within what can be written to. */
  readonly guarded: Guarded
  /** Must stay where they are, since what is guarded or hidden is in them. */
  readonly pinned: readonly string[]
  /** Are empty. */
  readonly hidden: readonly string[]
  readonly needs: readonly ParsedNeed[]
  readonly cwd: string
}

const NOTHING_GUARDED: Guarded = { kept: [], absent: [], links: [], besides: [] }

/** Throws `CONFINEMENT_FAILED` for a project that svc keeps to itself, and `CONFINEMENT_NEED`. */
export function createView(place: SandboxPolicy, machine: Machine): View {
  const needs = readNeeds(place.needs, place.cwd, machine)
  const project = realPath(place.project)
  checkProject(project, machine)
  const isProject = isOneProject(project, machine)
  const mayWrite = isProject && (place.access ?? 'write') === 'write'
  const written = needs.flatMap((need) => (need.kind === 'write' ? pathThatExists(need.path, project) : []))
  const allowed = needs.flatMap((need) => (need.kind === 'write' ? need.path : []))
  const read = needs.flatMap((need) => (need.kind === 'read' ? need.path : []))
  const guarded = mayWrite ? listGuarded(project, allowed) : NOTHING_GUARDED
  const writable = [...(mayWrite ? [project] : []), ...guarded.besides, ...written]
  const ofHome = project === machine.home ? findOpenOfHome(machine) : []
  const ofProject = isProject && !mayWrite ? [project] : ofHome
  const shown = [...findVisible(machine, place.environment), ...ofProject, ...read]
  const hidden = findHidden(machine, [...shown, ...writable])
  const inside = [...guarded.kept, ...guarded.absent.map(({ path }) => path), ...hidden]
  return {
    ...{
      project,
      home: machine.home,
      privateHome: join(place.temporary, 'home'),
      temporary: join(place.temporary, 'tmp'),
    },
    ...{ shown, writable, guarded, hidden, needs },
    pinned: writable.flatMap((root) => inside.flatMap((path) => listFoldersBetween(root, path))),
    cwd: checkCwd(place, [...shown, ...writable], machine),
  }
}

/** Also the folders that are there in name only: those above what is seen. */
function checkCwd(place: SandboxPolicy, seen: readonly string[], { home }: Machine): string {
  const cwd = realPath(place.cwd)
  const isPrivate = (at: string, folder: string) =>
    isWithin(cwd, at) && isFolder(join(place.temporary, folder, cwd.slice(at.length)))
  const isSeen = seen.some((path) => isWithin(cwd, path) || isWithin(path, cwd))
  if (isSeen || cwd === home || isPrivate('/tmp', 'tmp') || isPrivate(home, 'home')) return cwd
  throw new SvcError(
    'CONFINEMENT_FAILED',
    `No confined command begins in ${cwd}, which is outside of the project ${place.project}: it needs read:${cwd}.`,
  )
}

function checkProject(project: string, machine: Machine): void {
  const secret = findSecretLocation(project, machine.home)
  const own = findSvcLocation(project, machine.svcHomes) === 'closed' ? 'belongs to svc' : undefined
  const why = own ?? secret
  if (why === undefined) return
  throw new SvcError('CONFINEMENT_FAILED', `No confined command runs in ${project}: it ${why}. Work in another folder.`)
}

/** In the project it may come to exist; elsewhere something must be there to be shown. */
function pathThatExists(path: string, project: string): string[] {
  if (existsSync(path)) return [path]
  if (isWithin(path, project)) return []
  throw new SvcError('CONFINEMENT_NEED', `The need "write:${path}" cannot be granted: there is no ${path}.`)
}

/** The folders above a path and below a root. */
function listFoldersBetween(root: string, path: string): string[] {
  if (!isWithin(path, root) || path === root) return []
  const above: string[] = []
  for (let at = dirname(path); at !== root; at = dirname(at)) if (readStats(at)?.isDirectory()) above.push(at)
  return above
}

/** Whether a path is a folder, links followed. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
