/** The part of a plugin's context that a generation and what outlives it have in common. */
import type { ContributionRegistry, PluginContext } from '../sdk/plugin.ts'
import type { Ground } from './host.ts'
import { type Owner, runAs } from './owner.ts'
import type { Scope } from './scope.ts'

/** Verbs that do not add to what the manifest declares, and the facts that never change. */
export type CommonContext = Omit<
  PluginContext<unknown>,
  'config' | 'signal' | 'provide' | 'add' | 'replace' | 'wrap' | 'onStart' | 'keep'
>

/** Whose context it is. */
export interface ContextOwner {
  readonly ground: Ground
  readonly owner: Owner
  readonly scope: Scope
  readonly dataDir: string
  report(stage: string, error: unknown): void
  /** Runs `begin` once the plugin has started: now, or later. */
  whenStarted(begin: () => void): void
}

export function commonContext(whose: ContextOwner): CommonContext {
  const { ground, owner, scope, dataDir, report } = whose
  const { hooks, services, points } = ground
  const jobs = ground.jobs(whose)
  const states = ground.states(whose)
  return {
    name: owner.name,
    log: ground.getLog(owner.name),
    dataDir,
    process: { role: ground.role },
    on: (hook, listener, options) => scope.defer(hooks.on(hook as never, owner, listener as never, options)),
    call: (hook: unknown, value: unknown, context?: unknown) => hooks.call(hook as never, value, context) as never,
    use: (token) => services.use(token, owner),
    find: (token) => services.find(token, owner),
    all: (point) => watched(points.view(point, owner)),
    state: (name, options) => states.state(name, options),
    sessionState: (name, options) => states.sessionState(name, options),
    every: (ms, job, options) => jobs.every(ms, job, options),
    timeout: (ms, job) => jobs.timeout(ms, job),
    defer: (disposer) => scope.defer(disposer),
  }

  /** Watching a point ends with the owner too. A watcher that fails is not the fault of the plugin that adds something. */
  function watched<T>(view: ContributionRegistry<T>): ContributionRegistry<T> {
    const onChange = (listener: () => void) => {
      const told = () => {
        try {
          runAs(owner, listener)
        } catch (error) {
          report('watch', error)
        }
      }
      return scope.defer(view.onChange(told))
    }
    return { ...view, onChange }
  }
}
