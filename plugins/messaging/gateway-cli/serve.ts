/** The process that is the gateway: loads it, connects platforms, says what happens, and ends in order. */
import {
  type CliContext,
  Clock,
  Config,
  type Dispose,
  errorCode,
  errorMessage,
  Home,
  logFault,
  type PluginContext,
  SvcError,
} from 'svc/sdk'
import { PlatformChanged, PluginsChanged } from 'svc/sdk/hooks'
import { Control, type ControlMethod, findPluginToEnable, Plugins } from 'svc/sdk/host'
import { ownProcess } from 'svc/sdk/kit/process'
import { Gateway } from 'svc/sdk/platform'
import { Http } from 'svc/sdk/web'
import { type Announcer, announcer } from './announcements.ts'
import { Ending, type EndRequest, endWith, exitCodes, onEndSignals } from './ending.ts'
import { findListenWarning, formatListenAddress } from './listen-addresses.ts'
import { type Accepted, type Drained, getGatewayFiles, type ListenAddress, type Report } from './running-gateway.ts'
import { createState, type GatewayState, writeState } from './state-file.ts'
import { onSupervisor } from './supervised-process.ts'

/** How it is run. */
export interface ServeOptions {
  readonly form: 'text' | 'json'
  /** The process that watches over this one, if any. */
  readonly supervisor: number | undefined
}

/** How often the state is written although nothing changed. */
const TICK_MS = 60_000
const SAVE_MS = 100
/** The time limit of disconnecting, in addition to the wait for answers. */
const CLOSE_MS = 20_000
/** Without a supervisor another gateway may replace it at any moment. */
const ORPHAN_MS = 2000

/** Its whole life. Returns the exit code. */
export async function serve(ctx: PluginContext<undefined>, io: CliContext, options: ServeOptions): Promise<number> {
  const clock = ctx.use(Clock)
  const ending = new Ending()
  const gateway = new ServedGateway(
    ctx,
    ending,
    announcer(io, options.form, () => clock.now()),
    options,
  )
  const leave = (code: number) => process.exit(code)
  const undo: Dispose[] = [onEndSignals(io, ending, () => leave(exitCodes.interrupted))]
  undo.push(
    onSupervisor(options.supervisor, ending, () => {
      clock.after(ORPHAN_MS, () => leave(exitCodes.failed), { background: true })
    }),
  )
  try {
    const code = await gateway.run(undo)
    return endWith(code, io)
  } finally {
    for (const each of undo.reverse()) await each()
  }
}

class ServedGateway {
  readonly #ctx: PluginContext<undefined>
  readonly #ending: Ending
  readonly #say: Announcer
  readonly #options: ServeOptions
  readonly #startedAt: number
  #isReady = false
  #saving: Dispose | undefined
  /** Set while no turns are begun, so that a gateway that is loaded again does the same. */
  #drain: { readonly isQuiet: boolean } | undefined
  /** Its settings keep the gateway from being loaded. */
  #isMisconfigured = false
  #isStarted = false
  #phase: GatewayState['gateway_state'] = 'starting'

  constructor(ctx: PluginContext<undefined>, ending: Ending, say: Announcer, options: ServeOptions) {
    this.#ctx = ctx
    this.#ending = ending
    this.#say = say
    this.#options = options
    this.#startedAt = ctx.use(Clock).now()
  }

  async run(undo: Dispose[]): Promise<number> {
    this.#save({ phase: 'starting' })
    try {
      await this.#alone()
      await this.#load()
      undo.push(await this.#answer())
      undo.push(this.#follow(), this.#tick())
      const failed = await Promise.race([this.#start(), this.#ending.asked])
      if (failed) throw failed
      await this.#ending.asked
    } catch (error) {
      return this.#failed(error)
    }
    return this.#end(this.#ending.request ?? { kind: 'stop', reason: 'it was asked to' })
  }

  /** The lock could have been removed by a clean-up of the folder. */
  async #alone(): Promise<void> {
    const answers = await this.#ctx.use(Control).ask('gateway.status', {}, { timeoutMs: 1000 })
    const other = answers.find(({ command, pid, error }) => command === 'gateway' && !error && pid !== process.pid)
    if (other)
      throw new SvcError('GATEWAY_RUNNING', `Process ${other.pid} is a gateway of this home. Stop it: svc gateway stop`)
  }

  async #load(): Promise<void> {
    const plugins = this.#ctx.use(Plugins)
    const gateway = await plugins.bring(Gateway)
    const door = plugins.problems().find(({ exposes }) => exposes)
    if (door) throw new SvcError('GATEWAY_EXPOSED', `Nothing was connected. ${door.message}`, { exposes: true })
    if (gateway) return
    const provider = plugins.list().find(({ manifest }) => manifest.provides?.includes(Gateway.id))
    const name = provider?.manifest.name
    const isRefused = plugins.problems().some(({ plugin, stage }) => plugin === name && stage === 'config')
    this.#isMisconfigured = isRefused || findPluginToEnable(name ?? '', provider?.leftOut) !== undefined
    throw new SvcError('GATEWAY_UNAVAILABLE', `The gateway cannot be loaded: ${provider?.reason ?? 'it is not there'}.`)
  }

  /** What other commands of this home may ask. */
  async #answer(): Promise<Dispose> {
    const named = (params: unknown) => String((params as { name?: unknown } | undefined)?.name ?? '')
    const end = (kind: EndRequest['kind']) => (params: unknown) => this.#accept(kind, params)
    const methods: Record<string, ControlMethod> = {
      'gateway.status': { read: true, run: () => this.#report() },
      'gateway.stop': end('stop'),
      'gateway.restart': end('restart'),
      'gateway.drain': (params: unknown) => this.#drainTurns(params),
      'gateway.drain.cancel': () => this.#cancelDrain(),
      'gateway.pause': (params: unknown) => this.#ctx.use(Gateway).pause(named(params)),
      'gateway.resume': (params: unknown) => this.#ctx.use(Gateway).resume(named(params)),
    }
    try {
      return await this.#ctx.use(Control).serve('gateway', methods)
    } catch (error) {
      logFault(this.#ctx.log, 'other commands cannot reach the gateway', error)
      this.#say.notice({ type: 'warning', message: `svc: ${errorMessage(error)}` })
      return () => {}
    }
  }

  #accept(kind: EndRequest['kind'], params: unknown): Accepted {
    const { drainMs, reason } = (params ?? {}) as { drainMs?: unknown; reason?: unknown }
    const request: EndRequest = {
      kind,
      reason: typeof reason === 'string' ? reason : `svc gateway ${kind}`,
      ...(typeof drainMs === 'number' && { drainMs }),
    }
    this.#ending.ask(request)
    const { supervisor } = this.#options
    return { pid: process.pid, drainMs: this.#drainMs(request), ...(supervisor !== undefined && { supervisor }) }
  }

  #drainTurns(params: unknown): Drained {
    const { isQuiet } = (params ?? {}) as { isQuiet?: unknown }
    const ending = this.#ending.request
    if (ending) throw new SvcError('GATEWAY_ENDING', `The gateway ${ending.kind}s already: ${ending.reason}.`)
    this.#drain = { isQuiet: isQuiet === true }
    const gateway = this.#ctx.use(Gateway)
    gateway.drain(this.#drain)
    const { busy, drainedAt = this.#ctx.use(Clock).now() } = gateway.status()
    this.#say.notice({
      type: 'gateway',
      message: `The gateway begins no turns; ${busy} under way.`,
      facts: { state: 'draining', busy },
    })
    this.#save()
    return { drainedAt, busy }
  }

  #cancelDrain(): { readonly wasDraining: boolean } {
    const wasDraining = this.#drain !== undefined
    this.#drain = undefined
    this.#ctx.use(Gateway).cancelDrain()
    if (wasDraining)
      this.#say.notice({ type: 'gateway', message: 'The gateway begins turns again.', facts: { state: 'running' } })
    this.#save()
    return { wasDraining }
  }

  #report(): Report {
    const { supervisor } = this.#options
    const status = this.#ctx.use(Gateway).status()
    return {
      ...status,
      startedAt: this.#startedAt,
      isReady: this.#isReady,
      unguarded: this.#ctx
        .use(Plugins)
        .guards()
        .filter(({ state }) => state !== 'running'),
      doors: this.#doors(),
      ...(supervisor !== undefined && { supervisor }),
      ...(this.#ending.request && { ending: this.#ending.request.kind }),
    }
  }

  #doors(): ListenAddress[] {
    return (this.#ctx.find(Http)?.apps() ?? []).map(({ name, url, bound, isReachable }) => ({
      name,
      url,
      bound,
      isReachable,
    }))
  }

  /** A gateway that was reloaded because its settings changed is started again. */
  #follow(): Dispose {
    const off = [
      this.#ctx.on(PlatformChanged, (status) => {
        this.#say.platform(status)
        this.#saveSoon()
      }),
      this.#ctx.on(PluginsChanged, () => {
        const gateway = this.#ctx.find(Gateway)
        if (!this.#isStarted || this.#ending.request || gateway?.status().state !== 'stopped') return
        if (this.#drain) gateway.drain(this.#drain)
        gateway.start().catch((error: unknown) => {
          logFault(this.#ctx.log, 'the gateway could not be started again', error)
          this.#say.notice({ type: 'warning', message: `svc: ${errorMessage(error)}`, style: 'red' })
        })
      }),
    ]
    return async () => {
      for (const each of off) await each()
    }
  }

  /** Also keeps the process alive when no platform does. */
  #tick(): Dispose {
    const clock = this.#ctx.use(Clock)
    let cancel: Dispose = () => {}
    const tick = () => {
      this.#save()
      cancel = clock.after(TICK_MS, tick)
    }
    cancel = clock.after(TICK_MS, tick)
    return () => cancel()
  }

  /** Returns why it makes no sense to continue. */
  async #start(): Promise<unknown> {
    try {
      this.#isStarted = true
      await this.#ctx.use(Gateway).start()
    } catch (error) {
      return error
    }
    if (this.#ending.request) return undefined
    this.#isReady = true
    for (const door of this.#doors()) {
      this.#say.notice({ type: 'door', message: formatListenAddress(door), facts: { ...door } })
      const message = findListenWarning(door)
      if (message !== undefined) this.#say.notice({ type: 'warning', style: 'yellow', message })
    }
    return this.#judge()
  }

  #judge(): SvcError | undefined {
    const { platforms, state, pid } = this.#ctx.use(Gateway).status()
    const wanted = platforms.filter((each) => each.state !== 'disabled' && each.state !== 'paused')
    const hasDoors = this.#doors().length > 0
    if (wanted.length > 0 && !hasDoors && wanted.every((each) => each.state === 'fatal')) {
      const reasons = wanted.map(({ label, reason }) => `${label}: ${reason ?? 'it refused'}`).join(' ')
      return new SvcError('GATEWAY_NO_PLATFORM', `No platform can be connected as it is set up. ${reasons}`)
    }
    this.#save({ phase: 'running' })
    this.#say.notice({ type: 'gateway', message: `The gateway is ${state} (process ${pid}).`, facts: { state, pid } })
    if (wanted.length === 0 && !hasDoors)
      this.#say.notice({
        type: 'warning',
        style: 'yellow',
        message:
          'No platform is set up, so no person can write to the agent yet. `svc gateway status` shows what each one needs.',
      })
    return undefined
  }

  async #end(request: EndRequest): Promise<number> {
    const clock = this.#ctx.use(Clock)
    const { kind, reason } = request
    const drainMs = this.#drainMs(request)
    const code = kind === 'restart' ? exitCodes.again : exitCodes.stopped
    const gateway = this.#ctx.find(Gateway)
    const busy = gateway?.status().busy ?? 0
    const waits = busy > 0 ? ` ${busy === 1 ? 'One answer is' : `${busy} answers are`} waited for.` : ''
    const message = `The gateway ${kind === 'restart' ? 'restarts' : 'stops'}: ${reason}.${waits}`
    this.#say.notice({ type: 'gateway', message, facts: { state: 'draining', busy, drainMs } })
    this.#save({ phase: 'draining', isRestart: kind === 'restart' })
    const cancel = clock.after(drainMs + CLOSE_MS, () => process.exit(code), { background: true })
    const last = this.#ctx.find(Gateway)?.status()
    await gateway?.stop({ drainMs })
    cancel()
    this.#save({ phase: 'stopped', exitReason: reason, isRestart: kind === 'restart' }, last)
    return code
  }

  #failed(error: unknown): number {
    const reason = errorMessage(error)
    const isRefusal = this.#isMisconfigured || isConfig(error)
    this.#save({ phase: isRefusal ? 'startup_failed' : 'stopped', exitReason: reason })
    if (errorCode(error) === 'INTERNAL') throw error
    this.#say.notice({
      type: 'warning',
      style: 'red',
      message: `svc: ${reason} (${errorCode(error)})`,
      facts: { code: errorCode(error) },
    })
    return isRefusal ? exitCodes.config : exitCodes.failed
  }

  #drainMs({ drainMs }: EndRequest): number {
    const seconds = this.#ctx.use(Config).get('gateway.drain_seconds')
    return drainMs ?? (typeof seconds === 'number' && seconds >= 0 ? seconds : 30) * 1000
  }

  /** Many platforms change at once; one file is enough. */
  #saveSoon(): void {
    this.#saving ??= this.#ctx.use(Clock).after(SAVE_MS, () => this.#save(), { background: true })
  }

  /** A file that cannot be written ends nothing. */
  #save(facts: SavedFacts = {}, status = this.#ctx.find(Gateway)?.status()): void {
    const ctx = this.#ctx
    const { phase, ...more } = facts
    void this.#saving?.()
    this.#saving = undefined
    if (phase) this.#phase = phase
    try {
      const given = {
        mark: ownProcess(),
        argv: process.argv.slice(2),
        profile: ctx.use(Home).profile ?? 'default',
        startedAt: this.#startedAt,
        now: ctx.use(Clock).now(),
        state: this.#phase === 'running' ? (status?.state ?? 'degraded') : this.#phase,
        ...more,
      }
      writeState(getGatewayFiles(ctx).state, createState(given, status))
    } catch (error) {
      ctx.log.warn('the state of the gateway cannot be written', { error })
    }
  }
}

type SavedFacts = {
  readonly phase?: GatewayState['gateway_state']
  readonly exitReason?: string
  readonly isRestart?: boolean
}

/** Trying again would end in the same way. */
function isConfig(error: unknown): boolean {
  return (error instanceof SvcError && error.exposes) || errorCode(error) === 'GATEWAY_NO_PLATFORM'
}
