/** The state of a plugin: `state` and `sessionState` of its context. */
import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { ContextOwner } from '../kernel/context.ts'
import { kernelOwner, runAs } from '../kernel/owner.ts'
import { SvcError } from '../sdk/errors.ts'
import { createSessionState } from '../sdk/kit/state/session-value.ts'
import { StateFile } from '../sdk/kit/state/state-file.ts'
import { Sessions } from '../sdk/sessions.ts'
import type { PluginSessionState, PluginSessionStateOptions, PluginState, StateOptions } from '../sdk/state.ts'

export class States {
  readonly #whose: ContextOwner

  constructor(whose: ContextOwner) {
    this.#whose = whose
  }

  state<T>(name: string, { per = 'home', ...schema }: StateOptions<T>): PluginState<T> {
    this.#checkName(name)
    const { owner, ground, scope, report } = this.#whose
    const { clock, random } = ground.ports
    const onProblem = (error: unknown) => report('state', error)
    const what = `the state "${name}" of ${owner.name}`
    const state = new StateFile({ ...schema, file: this.#file(name, per), what, clock, random, onProblem })
    return {
      get: () => state.get(),
      set: (value) => state.set(value),
      update: (change) => state.update(change),
      onChange: (listener) => scope.defer(state.onChange((value) => runAs(owner, () => listener(value)))),
    }
  }

  /** A plugin of a user need not name the service: it reaches its own values only. */
  sessionState<T>(name: string, options: PluginSessionStateOptions<T>): PluginSessionState<T> {
    this.#checkName(name)
    const { owner, ground } = this.#whose
    return createSessionState(`${owner.name}:${name}`, options, () => ground.services.use(Sessions, kernelOwner))
  }

  #file(name: string, per: 'home' | 'project'): string {
    const { dataDir, ground } = this.#whose
    return per === 'home'
      ? join(dataDir, 'state', `${name}.json`)
      : join(dataDir, 'state', 'projects', toProjectKey(ground.cwd), `${name}.json`)
  }

  #checkName(name: string): void {
    if (/^[a-z][a-z\d-]{0,63}$/.test(name)) return
    const rule = 'up to 64 lower-case letters, digits and hyphens, with a letter first'
    throw new SvcError('STATE_INVALID', `"${name}" is not a name for state of ${this.#whose.owner.name}: ${rule}.`)
  }
}

/** Stands for a folder in names of files. */
export function toProjectKey(dir: string): string {
  const real = existsSync(dir) ? realpathSync(dir) : dir
  return createHash('sha256').update(real).digest('hex').slice(0, 16)
}
