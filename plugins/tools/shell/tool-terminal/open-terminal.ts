/** Makes what the tool needs once it is used: shells, places, and the guard that ends what svc leaves behind. */
import type { Random } from 'svc/sdk'
import type { ShellBackend } from 'svc/sdk/terminal'
import { childEnvironment } from './environment.ts'
import { Guard } from './guard.ts'
import { OpenTerminals } from './places.ts'
import { Shells } from './shells.ts'
import type { OpenTerminal, TerminalDeps } from './tools.ts'

/** What it needs of the plugin. */
export interface OpenDeps {
  /** Throws `TERMINAL_NO_BACKEND`. */
  readonly backend: () => ShellBackend
  readonly random: Random
  /** Of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function openTerminal(host: TerminalDeps, ports: OpenDeps): OpenTerminal {
  const { config, persistent, mask } = host
  const environment = () => childEnvironment(ports.environment, config.env_passthrough, mask)
  const places = new OpenTerminals({ backend: ports.backend, environment, settings: config })
  const clock = host.clock()
  const run = ports.random.hex(12)
  const guard = new Guard({ clock, mark: run, path: environment()['PATH'] ?? '' })
  let marks = 0
  const mark = () => `${run}-${++marks}`
  const shells = new Shells({
    ...{ clock, persistent, mark },
    folders: host.folders,
    place: (sessionId, cwd) => places.open(sessionId, cwd),
    dropPlace: (sessionId) => places.drop(sessionId),
    onStart: () => guard.beginSoon(),
  })
  const close = async () => {
    await shells.close()
    await places.close()
    await guard.end()
  }
  return { shells, background: { places, guard, mark }, close }
}
