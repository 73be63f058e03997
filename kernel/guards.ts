/** Which gates are guarded, and why one is closed. A guard that should run and does not denies. */
import { enableCommand, infoCommand, SWITCHES_FILE } from '../sdk/advice.ts'
import type { Hook } from '../sdk/declarations.ts'
import type { Manifest } from '../sdk/manifest.ts'
import type { GuardState } from '../sdk/plugins.ts'
import type { GateKeeper } from './hooks.ts'
import type { Host } from './host.ts'
import type { Owner } from './owner.ts'
import type { Omission } from './plan.ts'
import { isForeign, type PluginRecord } from './plugin-record.ts'

/** What guards are judged by. */
export interface GuardFacts {
  readonly found: () => readonly PluginRecord[]
  readonly live: (name: string) => Host | undefined
  /** Why a plugin was left out of the last plan. */
  readonly whyNot: (found: PluginRecord) => Omission | undefined
  readonly enabled: () => ReadonlySet<string>
  readonly disabled: () => ReadonlySet<string>
  /** Settings that switch off the purpose of a running plugin, as it reported them. */
  readonly relaxed: (plugin: string) => string | undefined
  /** Plugins that must run before anything may pass a gate, and why they do not. */
  readonly unmet: () => readonly { readonly plugin: string; readonly reason: string }[]
}

type AnyHook = Hook<unknown, unknown, unknown, unknown>

/** The gates that a plugin guards or checks. */
export function listGates({ guards = [], checks = [] }: Pick<Manifest, 'guards' | 'checks'>): readonly string[] {
  return [...guards, ...checks]
}

export class Guards implements GateKeeper {
  readonly #facts: GuardFacts

  constructor(facts: GuardFacts) {
    this.#facts = facts
  }

  /** Every guard that counts: built-in and embedded ones, and those of users that are enabled. */
  list(): readonly GuardState[] {
    return this.#facts.found().flatMap((found) => {
      const { name: plugin } = found.manifest
      const gates = listGates(found.manifest)
      const isGuard = gates.length > 0 && this.#counts(found)
      return isGuard || this.#facts.relaxed(plugin) ? [{ plugin, gates, ...this.#state(found) }] : []
    })
  }

  heldBy(hook: AnyHook): string | undefined {
    const guards = this.list().filter(({ gates }) => gates.includes(hook.id))
    const missing = guards.find(({ state }) => state === 'missing')
    if (missing) {
      const { plugin, reason } = missing
      return `${plugin} guards this and does not run: ${reason} (${infoCommand(plugin)})`
    }
    if (!hook.gate) return undefined
    if (!this.#facts.found().some((found) => this.#isGuard(found, hook)))
      return `nothing guards ${hook.id}: no plugin.json here names it under "guards"; install svc again`
    const [unmet] = this.#facts.unmet()
    return unmet && `${unmet.plugin} is required (plugins.required) and does not run: ${unmet.reason}`
  }

  #isGuard(found: PluginRecord, { id, gate }: AnyHook): boolean {
    const isEligible = gate === 'installation' ? !isForeign(found) : this.#counts(found)
    return isEligible && found.manifest.guards?.includes(id) === true
  }

  guards(owner: Owner, hook: string): boolean {
    const manifest = this.#facts.live(owner.name)?.found.manifest
    return manifest !== undefined && listGates(manifest).includes(hook)
  }

  #counts({ manifest, origin }: PluginRecord): boolean {
    return (
      origin === 'built-in' ||
      origin === 'embedded' ||
      origin === 'command-line' ||
      this.#facts.enabled().has(manifest.name)
    )
  }

  #state(found: PluginRecord): Pick<GuardState, 'state' | 'reason' | 'leftOut'> {
    const { name, permanent } = found.manifest
    const host = this.#facts.live(name)
    if (host?.status === 'started' || host?.status === 'suspended') {
      const reason = this.#facts.relaxed(name)
      return reason === undefined ? { state: 'running' } : { state: 'relaxed', reason }
    }
    if (this.#facts.disabled().has(name) && !(permanent && found.origin === 'built-in'))
      return {
        state: 'disabled',
        reason: `plugins.disabled in ${SWITCHES_FILE} names it; ${enableCommand(name)}`,
        leftOut: { code: 'disabled' },
      }
    if (host?.reason !== undefined) return { state: 'missing', reason: host.reason }
    return { state: 'missing', ...(this.#facts.whyNot(found) ?? { reason: 'it was not loaded' }) }
  }
}
