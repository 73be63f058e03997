/** Which machine is meant: variables go before the configuration. */
import type { Clock } from 'svc/sdk'
import type { ShellBackendSettings } from 'svc/sdk/shell'

export interface SshDeps {
  readonly clock: () => Clock
  readonly variable: (name: string) => string | undefined
  /** Where keys of machines are kept that were seen for the first time. */
  readonly knownHosts: string
}

/** A machine and how to get in. */
export interface SshTarget {
  /** `user@machine` or `machine`. */
  readonly destination: string
  readonly port: string
  readonly key: string | undefined
  /** Where sessions work there; undefined: where ssh begins. */
  readonly folder: string | undefined
}

/** The target, or undefined when no machine is named. */
export function sshTarget(settings: ShellBackendSettings, variable: SshDeps['variable']): SshTarget | undefined {
  const machine = variable('TERMINAL_SSH_HOST') ?? settings.ssh_host
  if (machine === '') return undefined
  const user = variable('TERMINAL_SSH_USER') ?? settings.ssh_user
  const key = variable('TERMINAL_SSH_KEY') ?? settings.ssh_key
  return {
    destination: user === '' ? machine : `${user}@${machine}`,
    port: variable('TERMINAL_SSH_PORT') ?? String(settings.ssh_port),
    key: key === '' ? undefined : key,
    folder: settings.ssh_folder || undefined,
  }
}
