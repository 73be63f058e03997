/** In which environments this process is, of those that skills can be for. */
import { existsSync } from 'node:fs'
import { WORKER_VARIABLES } from 'svc/sdk/kanban'

/** What container engines leave in a container: https://docs.podman.io/en/latest/markdown/podman-run.1.html */
const CONTAINER = ['/.dockerenv', '/run/.containerenv']
/** https://github.com/just-containers/s6-overlay */
const SUPERVISOR = ['/run/s6', '/package/admin/s6-overlay']

export function findEnvironments(
  getVariable: (name: string) => string | undefined,
  exists: (path: string) => boolean = existsSync,
): readonly string[] {
  return [
    ...(getVariable(WORKER_VARIABLES.task) ? ['kanban'] : []),
    ...(CONTAINER.some(exists) ? ['docker'] : []),
    ...(SUPERVISOR.some(exists) ? ['s6'] : []),
  ]
}
