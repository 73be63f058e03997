/** The plugins that there are, what config.yaml and consents say of them, and why each one that does not run is left out. */
import { enableCommand, LIST_COMMAND } from '../sdk/advice.ts'
import { SvcError } from '../sdk/errors.ts'
import { findNearest } from '../sdk/kit/text/nearest.ts'
import type { ProcessRole } from '../sdk/plugin.ts'
import type { AgreedContent, Judgement, KernelOptions } from './kernel-options.ts'
import { type Omission, type Plan, plan } from './plan.ts'
import { isForeign, type PluginRecord } from './plugin-record.ts'

type CatalogueDeps = Pick<KernelOptions, 'discover' | 'config' | 'judge'> & { readonly role: ProcessRole }

export class PluginCatalogue {
  readonly #deps: CatalogueDeps
  #found: readonly PluginRecord[] = []
  #omissions: Map<string, Omission> = new Map()
  /** Of foreign plugins that are on: why one must not run, or undefined. */
  #judged: Map<PluginRecord, string | undefined> = new Map()
  /** Of those that may run: what they were judged by. */
  #contents: Map<PluginRecord, AgreedContent> = new Map()

  constructor(deps: CatalogueDeps) {
    this.#deps = deps
  }

  get found(): readonly PluginRecord[] {
    return this.#found
  }

  async discover(): Promise<void> {
    this.#found = await this.#deps.discover()
    this.#judged.clear()
    this.#contents.clear()
  }

  /** Compares the code of foreign plugins that are switched on with what was agreed to, once for each discovery. */
  async judge(): Promise<void> {
    const isOn = this.#readSwitches()
    const asked = this.#found.filter(
      (found) => isForeign(found) && !found.problem && isOn(found) && !this.#judged.has(found),
    )
    if (asked.length === 0) return
    const judged = await this.#deps.judge(asked)
    for (const found of asked) {
      const { refusal, content } = judged.get(found) ?? {}
      this.#judged.set(found, refusal)
      if (content) this.#contents.set(found, content)
    }
  }

  /** What `judge` read of a plugin that may run, until the change of plugins that it was for is over. */
  agreedContent(found: PluginRecord): AgreedContent | undefined {
    return this.#contents.get(found)
  }

  forgetContents(): void {
    this.#contents.clear()
  }

  /** Why a plugin must not be loaded now, or undefined. */
  findRefusal(found: PluginRecord): string | undefined {
    return found.problem ?? this.#judged.get(found)
  }

  /** Compares the code of a foreign plugin once more: it may have changed since it was judged. */
  async judgeAgain(found: PluginRecord): Promise<Judgement> {
    if (!isForeign(found)) return {}
    if (!this.#readSwitches()(found)) return { refusal: `not enabled; ${enableCommand(found.manifest.name)}` }
    return (await this.#deps.judge([found])).get(found) ?? {}
  }

  /** `given`: services that are there without any plugin. */
  plan(names: Iterable<string>, given: ReadonlySet<string>): Plan {
    const [enabled, disabled] = [this.namesIn('plugins.enabled'), this.namesIn('plugins.disabled')]
    const { role } = this.#deps
    return plan(this.#found, { names: [...names], enabled, disabled, given, role, consents: this.#judged })
  }

  /** From now on these are the plugins that are left out. */
  keepOmissions({ leftOut }: Plan): void {
    this.#omissions = leftOut
  }

  leaveOut(name: string, omission: Omission): void {
    this.#omissions.set(name, omission)
  }

  /** Of two that have the same name, the second is listed with its origin. */
  findOmission({ manifest, origin, problem }: PluginRecord): Omission | undefined {
    if (problem) return { reason: problem, leftOut: { code: 'invalid' } }
    return this.#omissions.get(`${manifest.name} (${origin})`) ?? this.#omissions.get(manifest.name)
  }

  omissionOfName(name: string): Omission | undefined {
    return this.#omissions.get(name)
  }

  find(name: string): PluginRecord | undefined {
    const all = this.#found.filter((found) => found.manifest.name === name)
    return all.find((found) => !found.problem) ?? all[0]
  }

  /** Throws `PLUGIN_UNKNOWN` with the nearest name. */
  known(name: string): PluginRecord {
    const found = this.find(name)
    if (found) return found
    const close = findNearest(
      name,
      this.#found.map(({ manifest }) => manifest.name),
    )
    const hint = close ? ` Did you mean ${close}?` : ''
    throw new SvcError('PLUGIN_UNKNOWN', `There is no plugin "${name}".${hint} \`${LIST_COMMAND}\` lists them.`)
  }

  /** The plugin that provides a service and may run. */
  findProvider(service: string): PluginRecord | undefined {
    return this.#found.find(({ manifest, problem }) => {
      return !problem && manifest.provides?.includes(service) && !this.#omissions.has(manifest.name)
    })
  }

  /** A list of names in the config; empty if there is none. */
  namesIn(path: string): Set<string> {
    const value = this.#deps.config.get(path)
    return new Set(Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])
  }

  /** Whether a plugin is switched on, by the config of now. */
  #readSwitches(): (found: PluginRecord) => boolean {
    const [enabled, disabled] = [this.namesIn('plugins.enabled'), this.namesIn('plugins.disabled')]
    return ({ origin, manifest: { name } }) => origin === 'command-line' || (enabled.has(name) && !disabled.has(name))
  }
}
