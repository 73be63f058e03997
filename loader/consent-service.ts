/** Consents as the kernel asks them and offers them. Reading and hashing is loaded only where there is a foreign plugin. */

import type { Judgement } from '../kernel/kernel-options.ts'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import type { ConsentState, ConsentSubject, Consents } from '../sdk/consents.ts'
import type { Home } from '../sdk/home.ts'
import type { Clock } from '../sdk/ports.ts'
import type { ConsentStore } from './consent.ts'

export class ConsentService implements Consents {
  #home: Home
  #clock: Clock
  #discover: () => Promise<readonly PluginRecord[]>
  #notices: Set<string> = new Set()
  #said: Set<string> = new Set()

  constructor(home: Home, clock: Clock, discover: () => Promise<readonly PluginRecord[]>) {
    this.#home = home
    this.#clock = clock
    this.#discover = discover
  }

  /** Judges a foreign plugin that is switched on. */
  async judge(found: PluginRecord): Promise<Judgement> {
    return (await this.judgeAll([found])).get(found) ?? {}
  }

  async judgeAll(found: readonly PluginRecord[]): Promise<ReadonlyMap<PluginRecord, Judgement>> {
    const judged = new Map<PluginRecord, Judgement>()
    // Naming the folder for one run was the consent, to whatever its code becomes during the run.
    const meant = found.filter(({ origin }) => origin !== 'command-line')
    if (meant.length === 0) return judged
    for (const [each, { notice, ...judgement }] of (await this.#store()).judgeAll(meant)) {
      if (notice !== undefined && !this.#said.has(notice)) this.#notices.add(notice)
      judged.set(each, judgement)
    }
    return judged
  }

  /** What the user should know, one sentence each; each is returned once. */
  notices(): readonly string[] {
    const all = [...this.#notices]
    for (const notice of all) this.#said.add(notice)
    this.#notices.clear()
    return all
  }

  async inspect(plugin: ConsentSubject): Promise<ConsentState> {
    return (await this.#store()).inspect(await this.#found(plugin))
  }

  async agree(plugin: ConsentSubject, hash: string, options?: { readonly development?: boolean }): Promise<void> {
    const store = await this.#store()
    store.agree(await this.#found(plugin), hash, options)
  }

  async forget(plugin: ConsentSubject): Promise<void> {
    const store = await this.#store()
    store.forget(plugin)
  }

  async #store(): Promise<ConsentStore> {
    const { ConsentStore } = await import('./consent.ts')
    return new ConsentStore(this.#home.dir, () => this.#clock.now())
  }

  /** With the settings of its project, which a consent covers too. */
  async #found(plugin: ConsentSubject): Promise<PluginRecord> {
    if (plugin.origin !== 'project') return { manifest: plugin.manifest, origin: plugin.origin, dir: plugin.dir }
    const { manifest, origin, dir } = plugin
    return (
      (await this.#discover()).find((each) => each.origin === origin && each.dir === dir) ?? { manifest, origin, dir }
    )
  }
}
