/** Problems of plugins, the newest last, and the relaxations that running guards reported. */
import type { PluginProblem } from '../sdk/plugins.ts'

const MAX_PROBLEMS = 200
/** A guard that a setting switches off reports itself with this stage. */
const RELAXED = 'guard'

export class Problems {
  #problems: readonly PluginProblem[] = []
  #now: () => number

  /** `now` in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now
  }

  add(problem: Omit<PluginProblem, 'at'>): PluginProblem {
    const full = { ...problem, at: this.#now() }
    // The report of a guard about itself stays until it is reloaded, however many reports follow.
    const lasting = this.#problems.slice(0, 1 - MAX_PROBLEMS).filter(({ stage }) => stage === RELAXED)
    this.#problems = [...lasting, ...this.#problems.slice(1 - MAX_PROBLEMS), full]
    return full
  }

  list(): readonly PluginProblem[] {
    return this.#problems
  }

  /** The settings that switch off what a guard protects; undefined if there are no such settings. */
  relaxed(plugin: string): string | undefined {
    const own = this.#problems.filter((each) => each.plugin === plugin && each.stage === RELAXED)
    return own.length === 0 ? undefined : [...new Set(own.map(({ message }) => message))].join('; ')
  }

  /** The plugin is reloaded and reports again what it leaves out. */
  forgetRelaxed(plugin: string): void {
    this.#problems = this.#problems.filter((each) => each.plugin !== plugin || each.stage !== RELAXED)
  }
}
