/** Which model answers, and why. */

import { defineService, type Service } from './declarations.ts'
import type { ModelInfo, ModelProvider } from './providers.ts'

/** A provider and one of its models. @since 0.1 */
export interface ModelChoice {
  readonly provider: ModelProvider
  readonly model: string
  /** `configured`: chosen in the configuration; `found`: a local server was detected; `demo`: nothing else is available. */
  readonly source: 'configured' | 'found' | 'demo'
  /** For a first start: what was found and how to connect a real model; one sentence a line. */
  readonly notes: readonly string[]
}

/** Resolves `model.provider` and `model.default` of `config.yaml`; every front end uses it. @since 0.1 */
export interface Models {
  /**
   * Throws `MODEL_PROVIDER_UNKNOWN`, `MODEL_NOT_CHOSEN` or `MODEL_UNAVAILABLE` with what to do. `withoutDemo`: the scripted
   * demo does not stand in for a model; it answers only where `provider` or the config names it.
   */
  choose(wanted?: {
    readonly provider?: string
    readonly model?: string
    readonly withoutDemo?: boolean
  }): Promise<ModelChoice>
  /** What `model.fallbacks` names, in order, for when the chosen model fails. What is not usable is left out. */
  fallbacks(): Promise<readonly ModelChoice[]>
  /** Asks a provider, by name or alias, which models it serves, and adds what else is known of each. */
  list(provider: string): Promise<readonly ModelInfo[]>
  /**
   * The facts of a model: from the configuration, else as listed by its server, else from the table that
   * comes with svc. Unknown values are left out. Never asks the network.
   */
  describe(choice: { readonly provider: string; readonly model: string }): ModelInfo
  /**
   * The model whose id is most like that of one which its provider does not serve (any more); undefined when none is like it.
   * Asks the provider for its list: for use after a call failed with `model-not-found`. Rejects as `list` does.
   */
  similar(choice: { readonly provider: string; readonly model: string }): Promise<string | undefined>
}
export const Models: Service<Models> = defineService('models')
