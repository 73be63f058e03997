/** Starts programs confined: chooses the way, makes what they see, and clears up after them. */
import { mkdirSync } from 'node:fs'
import { errorMessage, SvcError } from 'svc/sdk'
import type { SandboxedLaunch, SandboxPolicy } from 'svc/sdk/shell'
import { type Bridges, openBridges } from './bridges.ts'
import { type Bubblewrap, bubblewrapCommand, findBubblewrap, SOCKETS_INSIDE } from './bubblewrap.ts'
import { readStats } from './machine.ts'
import { Placeholders } from './placeholders.ts'
import { PROXY_PORT, proxyVariables, withRelay } from './relay.ts'
import { SANDBOX_EXEC, seatbeltProfile } from './seatbelt.ts'
import type { ConfinementDeps } from './service.ts'
import { createView, type View } from './view.ts'

/** Lead to what confined programs do not reach, or name folders that they do not see. */
const DROPPED = [
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO', 'DBUS_SESSION_BUS_ADDRESS', 'DOCKER_HOST', 'SVC_HOME'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'],
  ...['XDG_DATA_HOME', 'XDG_STATE_HOME', 'TMUX', 'STY', 'TMP', 'TEMP', 'CARGO_HOME'],
]

/** By what programs are confined here. */
type Way = { readonly by: 'bubblewrap'; readonly bubblewrap: Bubblewrap } | { readonly by: 'seatbelt' } | string

/** Keeps what was found out about this machine. */
export class Launcher {
  readonly #deps: ConfinementDeps
  readonly #placeholders: Placeholders
  #way: Promise<Way> | undefined

  constructor(deps: ConfinementDeps) {
    this.#deps = deps
    this.#placeholders = new Placeholders(deps.warn, deps.machine.temporary)
  }

  async status(): Promise<{ works: boolean; by?: string; detail: string }> {
    const way = await this.#find()
    if (typeof way === 'string') return { works: false, detail: `Commands cannot be confined here: ${way}` }
    return { works: true, by: way.by, detail: `Commands are confined by ${way.by}` }
  }

  async launch(program: readonly string[], place: SandboxPolicy): Promise<SandboxedLaunch> {
    const way = await this.#find()
    if (typeof way === 'string') throw new SvcError('CONFINEMENT_FAILED', `Nothing was run confined: ${way}.`)
    const view = createView(place, this.#deps.machine)
    for (const folder of [view.temporary, view.privateHome]) mkdirSync(folder, { recursive: true, mode: 0o700 })
    const isInside = way.by === 'bubblewrap'
    const bridges = await openBridges(view.needs, { temporary: place.temporary, inside: isInside })
    const { held, release } = this.#hold(view, isInside)
    const close = async () => {
      release()
      await bridges.close()
    }
    const kept = { ...view, guarded: { ...view.guarded, absent: held } }
    const environment = createEnvironment(place, kept, bridges)
    if (way.by === 'seatbelt') {
      const command = [SANDBOX_EXEC, '-p', seatbeltProfile(kept, bridges.proxyPort), ...program]
      return { command, environment, cwd: view.cwd, close, [Symbol.asyncDispose]: close }
    }
    const inner = bridges.folder === undefined ? program : withRelay(program, { ...createInsideBridges(bridges) })
    const command = bubblewrapCommand(way.bubblewrap, {
      ...{ program: inner, view: kept, terminal: place.terminal ?? 'none', environment: place.environment },
      ...(bridges.folder === undefined ? {} : { sockets: bridges.folder }),
    })
    // Where bubblewrap itself begins does not matter; the folder may not be visible to it.
    return { command, environment, cwd: '/', close, [Symbol.asyncDispose]: close }
  }

  /** Seatbelt forbids a name whether there is something or not. */
  #hold(view: View, isInside: boolean): { held: View['guarded']['absent']; release: () => void } {
    if (!isInside) return { held: view.guarded.absent, release: () => undefined }
    const { held, release } = this.#placeholders.hold(view.project, view.guarded)
    return { held: view.guarded.absent.filter(({ path }) => held.includes(path)), release }
  }

  #find(): Promise<Way> {
    this.#way ??= this.#look()
    return this.#way
  }

  async #look(): Promise<Way> {
    try {
      if (process.platform === 'darwin')
        return readStats(SANDBOX_EXEC) === undefined ? `${SANDBOX_EXEC} is missing` : { by: 'seatbelt' }
      if (process.platform !== 'linux') return `nothing confines programs on ${process.platform}`
      const found = await findBubblewrap(this.#deps.variable('PATH') ?? '/usr/local/bin:/usr/bin:/bin')
      return typeof found === 'string' ? found : { by: 'bubblewrap', bubblewrap: found }
    } catch (error) {
      return errorMessage(error)
    }
  }
}

function createInsideBridges({ hosts, ports }: Bridges) {
  return { folder: SOCKETS_INSIDE, hosts: hosts.length > 0, ports }
}

function createEnvironment(place: SandboxPolicy, view: View, bridges: Bridges): Record<string, string> {
  const has = (kind: string, name?: string) =>
    view.needs.some((need) => need.kind === kind && (need.kind !== 'socket' || need.name === name))
  const kept = new Set([
    ...(has('socket', 'ssh-agent') ? ['SSH_AUTH_SOCK'] : []),
    ...(has('display') ? ['DISPLAY', 'WAYLAND_DISPLAY', 'XDG_RUNTIME_DIR'] : []),
  ])
  const given = Object.entries(place.environment).filter(([name]) => kept.has(name) || !DROPPED.includes(name))
  const isMac = process.platform === 'darwin'
  return {
    ...Object.fromEntries(given),
    ...(isMac ? { HOME: view.privateHome, TMPDIR: view.temporary } : { HOME: view.home, TMPDIR: '/tmp' }),
    ...(has('socket', 'docker') && { DOCKER_HOST: 'unix:///run/docker.sock' }),
    ...(bridges.hosts.length > 0 && proxyVariables(bridges.proxyPort ?? PROXY_PORT)),
  }
}
