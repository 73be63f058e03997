/** Which backend commands run in, whether its shells are kept, and the backend `local`. */
import { type Secrets, SvcError } from 'svc/sdk'
import type { ContributionRegistry } from 'svc/sdk/host'
import type { ProcessSandbox, ShellBackend, ShellEnvironment } from 'svc/sdk/shell'
import type { Config } from './config.ts'

/** Commands run on this machine: confined where `find` gives what confines, else as any other program. */
export function localBackend(find: () => Promise<ProcessSandbox | undefined>): ShellBackend {
  return {
    name: 'local',
    isolated: () => false,
    status: async () => {
      const confinement = await find()
      const how = confinement === undefined ? 'not confined' : (await confinement.status()).detail
      return { ready: true, detail: `commands run on this machine: ${how}` }
    },
    open: async (place) => {
      const confinement = await find()
      if (confinement === undefined) return localTerminal(place.cwd, place.environment)
      return (await import('./confined.ts')).confinedTerminal(place, confinement)
    },
  }
}

/** This machine, as a place. */
export function localTerminal(folder: string, environment: Readonly<Record<string, string>>): ShellEnvironment {
  return {
    elsewhere: false,
    launch: async ({ command, cwd }) => ({ command, environment, cwd: cwd ?? folder }),
    close: async () => undefined,
  }
}

/** The name of the backend: `TERMINAL_ENV`, else `terminal.backend`. */
export function backendName(config: Config, secrets: Secrets): string {
  return secrets.get('TERMINAL_ENV')?.toLowerCase() ?? config.backend
}

/** The backend of that name. Throws `TERMINAL_NO_BACKEND`. */
export function findBackend(backends: ContributionRegistry<ShellBackend>, name: string): ShellBackend {
  const backend = backends.get(name)
  if (backend !== undefined) return backend
  const known = backends.all().map((each) => each.name)
  const hint = `Set terminal.backend (or TERMINAL_ENV) to one of ${known.join(', ')}`
  throw new SvcError('TERMINAL_NO_BACKEND', `No plugin offers the terminal backend "${name}". ${hint}.`)
}

/** Variables that say for one backend whether its shells are kept. */
const PERSISTENT_VARIABLES: Readonly<Record<string, string>> = {
  local: 'TERMINAL_LOCAL_PERSISTENT',
  docker: 'TERMINAL_DOCKER_PERSISTENT',
  podman: 'TERMINAL_PODMAN_PERSISTENT',
  ssh: 'TERMINAL_SSH_PERSISTENT',
  bubblewrap: 'TERMINAL_BUBBLEWRAP_PERSISTENT',
}

/** Whether shells are kept: the backend's own variable, then `TERMINAL_PERSISTENT_SHELL`, then the configuration. */
export function isPersistent(backend: string, config: Config, secrets: Secrets): boolean {
  const own = PERSISTENT_VARIABLES[backend]
  const said = (own === undefined ? undefined : secrets.get(own)) ?? secrets.get('TERMINAL_PERSISTENT_SHELL')
  return said === undefined ? config.persistent_shell : /^(1|true|yes|on)$/i.test(said)
}
