/** The backends `docker` and `podman`, which understand the same arguments. */
import type { Clock, Logger, Random } from 'svc/sdk'
import type { ShellBackend, ShellBackendSettings } from 'svc/sdk/shell'

export interface ContainerDeps {
  readonly clock: () => Clock
  readonly random: () => Random
  /** A variable of the environment, else of `.env`. */
  readonly variable: (name: string) => string | undefined
  readonly log: Logger
  /** Of the plugin; another one for each home. */
  readonly dataDir: string
}

/** Makes one. Its work is imported when it is first used. */
export function containerBackend(program: 'docker' | 'podman', deps: ContainerDeps): ShellBackend {
  return {
    name: program,
    elsewhere: true,
    isolated: isIsolated,
    status: async (place) => (await import('./container.ts')).containerStatus(program, place),
    open: async (place, signal) =>
      (await import('./container.ts')).openContainer({ program, place, host: deps }, signal),
  }
}

/** Whether the container has neither folders nor the network of this machine. What extra arguments do is not known. */
function isIsolated(settings: ShellBackendSettings): boolean {
  const { docker_volumes, docker_extra_args, docker_mount_cwd_to_workspace, docker_network } = settings
  const shares = docker_volumes.length > 0 || docker_extra_args.length > 0 || docker_mount_cwd_to_workspace
  return !shares && docker_network !== 'host'
}
