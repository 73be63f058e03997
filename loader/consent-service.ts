/** Consents as the kernel asks them and offers them. Reading and hashing is loaded only where there is a foreign plugin. */

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

  /** Why a foreign plugin that is switched on must not run, or undefined. */
  async refusal(found: PluginRecord): Promise<string | undefined> {
    // Naming the folder for one run was the consent, to whatever its code becomes during the run.
    if (found.origin === 'command-line') return undefined
    const { refusal, notice } = (await this.#store()).judge(found)
    if (notice !== undefined && !this.#said.has(notice)) this.#notices.add(notice)
    return refusal
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
