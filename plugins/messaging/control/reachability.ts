/** The service `control`: this process as others reach it, and the others as it reaches them. */
import { Clock, type Dispose, Home, type PluginContext } from 'svc/sdk'
import type { Control, ControlAnswer, ControlMethod } from 'svc/sdk/host'
import { AgentProcesses } from 'svc/sdk/shell'

const ASK_MS = 60_000

type Methods = Readonly<Record<string, ControlMethod>>

/** A front end that asked to be reachable. */
interface Registration {
  readonly command: string
  readonly methods: Methods
  close?: Dispose
}

/** They survive a reload of this plugin: no other code could register them again. */
const registrations = new WeakMap<Home, Set<Registration>>()
/** What was added to all of them, likewise. */
const added = new WeakMap<Home, Set<Methods>>()

export class Reachability implements Control {
  #ctx: PluginContext<undefined>
  #servers: Set<Dispose> = new Set()

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  async serve(command: string, methods: Methods = {}): Promise<Dispose> {
    const registration: Registration = { command, methods }
    await this.#open(registration)
    const all = this.#registrations()
    all.add(registration)
    return async () => {
      all.delete(registration)
      await registration.close?.()
    }
  }

  answer(methods: Methods): Dispose {
    const all = this.#kept(added)
    all.add(methods)
    return () => void all.delete(methods)
  }

  async ask(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    options: { readonly limitMs?: number } = {},
  ): Promise<readonly ControlAnswer[]> {
    const [{ askAt }, { addresses }] = await Promise.all([import('./client.ts'), import('./socket-paths.ts')])
    const question = { method, params, limitMs: options.limitMs ?? ASK_MS, clock: this.#ctx.use(Clock) }
    const answers = addresses(this.#ctx.use(Home).dir).map((address) => askAt(address, question))
    return (await Promise.all(answers)).filter((answer) => answer !== undefined)
  }

  /** Opens again what an earlier generation had open. */
  async resume(): Promise<void> {
    for (const registration of this.#registrations()) await this.#open(registration)
  }

  async close(): Promise<void> {
    for (const close of [...this.#servers]) await close()
  }

  async #open(registration: Registration): Promise<void> {
    const ctx = this.#ctx
    const [{ listen }, { pluginMethods }] = await Promise.all([import('./server.ts'), import('./plugin-methods.ts')])
    const always = pluginMethods(ctx)
    // Each time: routes may have been added or removed.
    const methods = () => Object.assign({}, ...this.#kept(added), registration.methods, always) as Methods
    const { command } = registration
    const [home, clock, leash] = [ctx.use(Home).dir, ctx.use(Clock), ctx.use(AgentProcesses)]
    const stop = await listen({ home, command, methods, clock, leash, log: ctx.log })
    const close = async () => {
      if (this.#servers.delete(close)) await stop()
    }
    this.#servers.add(close)
    registration.close = close
  }

  #registrations(): Set<Registration> {
    return this.#kept(registrations)
  }

  #kept<T>(from: WeakMap<Home, Set<T>>): Set<T> {
    const home = this.#ctx.use(Home)
    const all = from.get(home) ?? new Set()
    from.set(home, all)
    return all
  }
}
