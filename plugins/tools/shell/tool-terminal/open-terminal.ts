/** Makes what the tool needs once it is used: shells, places, and the guard that ends what svc leaves behind. */
import type { Random } from 'svc/sdk'
import type { ShellBackend } from 'svc/sdk/shell'
import { Guard } from './cleanup-process.ts'
import { childEnvironment } from './environment.ts'
import { Environments } from './environments.ts'
import { OpenTerminals } from './open-terminals.ts'
import { Shells } from './shells.ts'
import type { OpenTerminal, TerminalDeps } from './tools.ts'

export interface OpenDeps {
  /** Throws `TERMINAL_NO_BACKEND`. */
  readonly backend: () => ShellBackend
  /** Its name. */
  readonly name: string
  readonly random: Random
  /** Of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether a plugin declares a variable of this name as a secret. */
  readonly isSecret: (name: string) => boolean
}

export function openTerminal(terminal: TerminalDeps, deps: OpenDeps): OpenTerminal {
  const { config, persistent, mask } = terminal
  const environment = () => childEnvironment(deps.environment, config.env_passthrough, mask, deps.isSecret)
  const places = new OpenTerminals({ backend: deps.backend, environment, settings: config })
  const clock = terminal.clock()
  const run = deps.random.hex(12)
  const guard = new Guard({ clock, mark: run, path: environment()['PATH'] ?? '' })
  let marks = 0
  const mark = () => `${run}-${++marks}`
  const shells = new Shells({
    ...{ clock, persistent, mark },
    folders: terminal.folders,
    place: (sessionId, cwd) => places.open(sessionId, cwd),
    dropPlace: (sessionId) => places.drop(sessionId),
    onStart: () => guard.beginSoon(),
  })
  const close = async () => {
    await shells.close()
    await places.close()
    await guard.end()
  }
  const environments = new Environments({ name: deps.name, places, mark: () => deps.random.hex(12) })
  return { shells, environments, background: { places, guard, mark }, close }
}
