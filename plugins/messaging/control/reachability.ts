/** The service `control`: this process as others reach it, and the others as it reaches them. */

import { Clock, type Dispose, Home, type PluginContext, type Registration } from 'svc/sdk'
import type { Control, ControlAnswer, ControlMethod } from 'svc/sdk/host'
import { toRegistration } from 'svc/sdk/kit/async'
import { AgentProcesses } from 'svc/sdk/shell'

const ASK_MS = 60_000

type Methods = Readonly<Record<string, ControlMethod>>

/** A front end that asked to be reachable. */
interface Serving {
  readonly command: string
  readonly methods: Methods
  close?: Dispose
}

/** They survive a reload of this plugin: no other code could register them again. */
const servings = new WeakMap<Home, Set<Serving>>()
/** What was added to all of them, likewise. */
const added = new WeakMap<Home, Set<Methods>>()

export class Reachability implements Control {
  #ctx: PluginContext<undefined>
  #servers: Set<Dispose> = new Set()

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  async serve(command: string, methods: Methods = {}): Promise<Registration> {
    const serving: Serving = { command, methods }
    await this.#open(serving)
    const all = this.#servings()
    all.add(serving)
    return toRegistration(async () => {
      all.delete(serving)
      await serving.close?.()
    })
  }

  answer(methods: Methods): Registration {
    const all = this.#kept(added)
    all.add(methods)
    return toRegistration(() => void all.delete(methods))
  }

  async ask(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    options: Parameters<Control['ask']>[2] = {},
  ): Promise<readonly ControlAnswer[]> {
    const [{ askAt }, { addresses }] = await Promise.all([import('./client.ts'), import('./socket-paths.ts')])
    const question = {
      method,
      params,
      limitMs: options.timeoutMs ?? options.limitMs ?? ASK_MS,
      clock: this.#ctx.use(Clock),
    }
    const answers = addresses(options.home ?? this.#ctx.use(Home).dir).map((address) => askAt(address, question))
    return (await Promise.all(answers)).filter((answer) => answer !== undefined)
  }

  /** Opens again what an earlier generation had open. */
  async resume(): Promise<void> {
    for (const serving of this.#servings()) await this.#open(serving)
  }

  async close(): Promise<void> {
    for (const close of [...this.#servers]) await close()
  }

  async #open(serving: Serving): Promise<void> {
    const ctx = this.#ctx
    const [{ listen }, { pluginMethods }] = await Promise.all([import('./server.ts'), import('./plugin-methods.ts')])
    const always = pluginMethods(ctx)
    // Each time: routes may have been added or removed.
    const methods = () => Object.assign({}, ...this.#kept(added), serving.methods, always) as Methods
    const { command } = serving
    const [home, clock, leash] = [ctx.use(Home).dir, ctx.use(Clock), ctx.use(AgentProcesses)]
    const stop = await listen({ home, command, methods, clock, leash, log: ctx.log })
    const close = async () => {
      if (this.#servers.delete(close)) await stop()
    }
    this.#servers.add(close)
    serving.close = close
  }

  #servings(): Set<Serving> {
    return this.#kept(servings)
  }

  #kept<T>(from: WeakMap<Home, Set<T>>): Set<T> {
    const home = this.#ctx.use(Home)
    const all = from.get(home) ?? new Set()
    from.set(home, all)
    return all
  }
}
