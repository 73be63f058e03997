/** Decides which plugins to load, in what order, and why not. Pure. */
import { enableCommand, SWITCHES_FILE } from '../sdk/advice.ts'
import { listClaims } from '../sdk/claims.ts'
import type { LeftOut } from '../sdk/left-out.ts'
import { listServices, listWanted, type Manifest } from '../sdk/manifest.ts'
import type { ProcessRole } from '../sdk/plugin.ts'
import { listGates } from './guards.ts'
import { isForeign, type PluginRecord } from './plugin-record.ts'

/** What should run. */
export interface LoadRequest {
  /** Plugins requested by name, such as the owner of the command that was typed. */
  readonly names: readonly string[]
  /** `plugins.enabled` and `plugins.disabled` of config.yaml. */
  readonly enabled?: ReadonlySet<string>
  readonly disabled?: ReadonlySet<string>
  /** Of foreign plugins that are enabled: why one must not run, or undefined. One that is not in it was not judged. */
  readonly consents?: ReadonlyMap<PluginRecord, string | undefined>
  /** The role of the process; left out: every plugin may run. */
  readonly role?: ProcessRole
  /** Services that are there without any plugin: the kernel's own. */
  readonly given?: ReadonlySet<string>
}

/** Why a plugin is left out: for people and as data. */
export interface Omission {
  readonly reason: string
  readonly leftOut: LeftOut
}

/** What will be loaded, in the order to set up, and why each other plugin is left out. */
export interface Plan {
  readonly load: PluginRecord[]
  readonly leftOut: Map<string, Omission>
  /** Who has what only one may have, by the keys of `listClaims`. */
  readonly claims: ReadonlyMap<string, PluginRecord>
}

/**
 * A plugin is loaded when it is asked for, when a loaded plugin requires a service it provides, when a service in its
 * `with` is loaded, or when another guard of one of its gates is. What users bring runs only once it is named in
 * `plugins.enabled` and its code was agreed to; a folder named on the command line runs for that run.
 */
export function plan(all: readonly PluginRecord[], wanted: LoadRequest): Plan {
  const leftOut = new Map<string, Omission>()
  const usable: PluginRecord[] = []
  const claims: Claims = new Map()
  for (const found of all) {
    const omission = unusable(found, wanted, claims)
    if (omission) leftOut.set(formatPluginLabel(found, leftOut, usable), omission)
    else {
      usable.push(found)
      for (const { key } of listClaims(found.manifest)) claims.set(key, found)
    }
  }
  const walk = (order: PlanOrder) => {
    const planner = new Planner(usable, order)
    for (const { manifest } of all) planner.explain(manifest)
    for (const name of wanted.names) planner.want(name)
    planner.bringCompanions()
    return planner.load
  }
  const { given = new Set<string>() } = wanted
  const load = walk({ leftOut: new Map(leftOut), given, loaded: new Set() })
  // What is loaded anyway is known after the first walk; the second one puts it before what uses it.
  const loaded = new Set(load.some(({ manifest }) => manifest.uses !== undefined) ? load : [])
  return { load: walk({ leftOut, given, loaded }), leftOut, claims }
}

/** What one walk over the plugins knows beside the plugins. */
interface PlanOrder {
  readonly leftOut: Map<string, Omission>
  readonly given: ReadonlySet<string>
  /** What an earlier walk found to be loaded. */
  readonly loaded: ReadonlySet<PluginRecord>
}

function unusable(found: PluginRecord, wanted: LoadRequest, claims: Claims): Omission | undefined {
  const { manifest, problem } = found
  if (problem) return { reason: problem, leftOut: { code: 'invalid' } }
  const isNamed = found.origin === 'command-line'
  if (!isNamed && wanted.disabled?.has(manifest.name) && !(manifest.permanent && found.origin === 'built-in'))
    return { reason: `disabled in ${SWITCHES_FILE}; ${enableCommand(manifest.name)}`, leftOut: { code: 'disabled' } }
  const { in: roles } = manifest
  if (isRoleList(roles) && wanted.role !== undefined && !roles.includes(wanted.role)) {
    const reason = `it runs in ${roles.join(', ')} only; this process is of the role ${wanted.role}`
    return { reason, leftOut: { code: 'role', in: roles } }
  }
  const trusted = !isForeign(found)
  if (!isNamed && (!trusted || manifest.optIn) && !wanted.enabled?.has(manifest.name))
    return { reason: `not enabled; ${enableCommand(manifest.name)}`, leftOut: { code: 'not-enabled' } }
  return (trusted ? undefined : refusal(found, wanted)) ?? clash(manifest, claims)
}

/** Whether `in` of a manifest is about the plugin, not about its contributions to some points. */
export function isRoleList(roles: Manifest['in']): roles is readonly ProcessRole[] {
  return Array.isArray(roles)
}

/** What users bring runs only by consent to its code. */
function refusal(found: PluginRecord, { consents }: LoadRequest): Omission | undefined {
  const reason = consents?.has(found)
    ? consents.get(found)
    : `its code was not compared with what you agreed to; ${enableCommand(found.manifest.name)}`
  return reason === undefined ? undefined : { reason, leftOut: { code: 'consent' } }
}

/** What only one plugin may have, and who has it. Looking it up spares comparing each plugin with all before it. */
type Claims = Map<string, PluginRecord>

/** Of two plugins with one claim the one found first, so a built-in one, stays. */
function clash(manifest: Manifest, claims: Claims): Omission | undefined {
  for (const { key, reason } of listClaims(manifest)) {
    const owner = claims.get(key)
    if (owner) return { reason: reason(owner), leftOut: { code: 'conflict', owner: owner.manifest.name, claim: key } }
  }
  return undefined
}

/** Two folders may say the same name: both reasons must be seen. */
function formatPluginLabel(
  { manifest, origin }: PluginRecord,
  leftOut: Map<string, Omission>,
  usable: readonly PluginRecord[],
): string {
  const taken = leftOut.has(manifest.name) || usable.some((other) => other.manifest.name === manifest.name)
  return taken ? `${manifest.name} (${origin})` : manifest.name
}

/** A depth-first walk over `requires`, `wants` and `uses`; a plugin is listed once everything it needs is. */
class Planner {
  readonly load: PluginRecord[] = []
  #usable: readonly PluginRecord[]
  #leftOut: Map<string, Omission>
  #order: PlanOrder
  #providers: Map<string, PluginRecord>
  #state: Map<string, 'visiting' | 'listed' | 'left out'> = new Map()
  /** Optional providers that require, directly or not, the plugin that would like to have them. */
  #later: PluginRecord[] = []
  /** Of services that no usable plugin provides: which plugin would, and why it is left out. */
  #absent: Map<string, Cause> = new Map()
  /** What began it, for plugins that are left out because of another. */
  #causes: Map<string, Cause> = new Map()

  constructor(usable: readonly PluginRecord[], order: PlanOrder) {
    this.#usable = usable
    this.#leftOut = order.leftOut
    this.#order = order
    this.#providers = new Map(
      usable.flatMap((f) => (f.manifest.provides ?? []).map((service) => [service, f] as const)),
    )
  }

  /** What a plugin that is not usable would have provided. */
  explain({ name, provides = [] }: Manifest): void {
    const omission = this.#leftOut.get(name)
    if (!omission) return
    for (const service of provides)
      if (!this.#providers.has(service)) this.#absent.set(service, { plugin: name, ...omission })
  }

  want(name: string): void {
    const found = this.#usable.find((candidate) => candidate.manifest.name === name)
    if (found) this.#visit(found, [])
    else if (!this.#leftOut.has(name)) this.#leftOut.set(name, NO_SUCH_PLUGIN)
  }

  /** Companions and deferred optional providers. Each may add more, so repeat until nothing is added. */
  bringCompanions(): void {
    for (let before = -1; before !== this.load.length; ) {
      before = this.load.length
      const services = new Set(this.load.flatMap((found) => found.manifest.provides ?? []))
      const gates = new Set(this.load.flatMap(({ manifest }) => listGates(manifest)))
      const brought = this.#usable.filter(
        ({ manifest }) =>
          manifest.with?.some((service) => services.has(service)) ||
          listGates(manifest).some((gate) => gates.has(gate)),
      )
      for (const found of [...this.#later, ...brought]) this.#visit(found, [])
    }
  }

  #visit(found: PluginRecord, path: readonly string[]): boolean {
    const { manifest } = found
    const state = this.#state.get(manifest.name)
    if (state === 'visiting') return this.#leave(manifest, requiresItself([...path, manifest.name]))
    if (state) return state === 'listed'
    this.#state.set(manifest.name, 'visiting')
    for (const service of manifest.requires ?? []) {
      const problem = this.#need(service, [...path, manifest.name])
      if (!problem) continue
      if (!this.#causes.has(manifest.name)) this.#causes.set(manifest.name, { plugin: manifest.name, ...problem })
      return this.#leave(manifest, problem)
    }
    for (const helper of this.#helpers(found)) {
      if (this.#leadsBack(helper)) this.#later.push(helper)
      else this.#visit(helper, [...path, manifest.name])
    }
    this.#state.set(manifest.name, 'listed')
    this.load.push(found)
    return true
  }

  /** Plugins that are to be loaded before it where that is possible. */
  #helpers(found: PluginRecord): PluginRecord[] {
    const { loaded } = this.#order
    const provider = (service: string) => (found.unfit?.has(service) ? [] : (this.#providers.get(service) ?? []))
    const used = loaded.size > 0 ? listServices(found.manifest.uses).flatMap(provider) : []
    return [...listWanted(found.manifest).flatMap(provider), ...used.filter((helper) => loaded.has(helper))]
  }

  /** Whether it is, or requires, a plugin that is being visited. */
  #leadsBack({ manifest }: PluginRecord, seen: Set<string> = new Set()): boolean {
    const state = this.#state.get(manifest.name)
    if (state || seen.has(manifest.name)) return state === 'visiting'
    seen.add(manifest.name)
    const providers = (manifest.requires ?? []).flatMap((service) => this.#providers.get(service) ?? [])
    return providers.some((provider) => this.#leadsBack(provider, seen))
  }

  #need(service: string, path: readonly string[]): Omission | undefined {
    if (this.#order.given.has(service)) return undefined
    const provider = this.#providers.get(service)
    const absent = this.#absent.get(service)
    if (!provider) return absent ? waitsFor(service, absent) : notProvided(service)
    if (this.#visit(provider, path)) return undefined
    const { name } = provider.manifest
    const cause = this.#causes.get(name) ?? { plugin: name }
    this.#causes.set(path.at(-1) ?? '', cause)
    return waitsFor(service, cause)
  }

  #leave(manifest: Manifest, omission: Omission): false {
    this.#state.set(manifest.name, 'left out')
    if (!this.#leftOut.has(manifest.name)) this.#leftOut.set(manifest.name, omission)
    return false
  }
}

/** The plugin that began it, and why that one is left out; not known while it is part of a cycle. */
type Cause = { readonly plugin: string } & Partial<Omission>

const NO_SUCH_PLUGIN: Omission = { reason: 'no plugin has this name', leftOut: { code: 'unknown' } }

function requiresItself(path: readonly string[]): Omission {
  return { reason: `it requires itself: ${path.join(' > ')}`, leftOut: { code: 'cycle', path } }
}

/** No plugin that there is provides the service. */
export function notProvided(service: string): Omission {
  return { reason: `nothing provides "${service}"`, leftOut: { code: 'requires', service } }
}

function waitsFor(service: string, { plugin, reason, leftOut }: Cause): Omission {
  // A chain is reported by its end: the part that the user has to fix.
  const further = leftOut?.code === 'requires' && leftOut.plugin !== undefined ? leftOut : undefined
  const cause = further ? further.cause : leftOut
  const why = reason === undefined ? `${plugin} is left out` : `${plugin} is left out: ${reason}`
  return {
    reason: `"${service}" is not available: ${why}`,
    leftOut: { code: 'requires', service, plugin: further?.plugin ?? plugin, ...(cause && { cause }) },
  }
}
