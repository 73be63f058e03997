/** Model servers whose address is in the settings of another plugin. */

import { defineService, type Service } from './declarations.ts'
import type { ModelProvider } from './providers.ts'

/** A server with an OpenAI-compatible API, and where its user has named it. @since 0.1 */
export interface ModelServer {
  /** The id of the provider in usage and budgets: `auxiliary:vision`. */
  readonly name: string
  /** As a sentence begins with it. */
  readonly label: string
  /** An address by HTTP or HTTPS, mostly ending in `/v1`. An invalid address is reported as a failure of the calls. */
  readonly baseUrl: string
  /** The config key that holds the address, for what people are advised to type. */
  readonly setting: string
  /** The variable that holds its key. A key of a vendor is only sent to hosts of that vendor. */
  readonly keyName?: string
  /** A key that is not stored anywhere, to be tried: it is sent in place of a stored one, to this address only. */
  readonly trialKey?: string
}

/** Makes providers for such servers. @since 0.1 */
export interface ModelServers {
  /** The provider for a server. It is in no list and needs no end; asked again for the same server it is the same one, without `trialKey`. */
  at(server: ModelServer): ModelProvider
}
export const ModelServers: Service<ModelServers> = defineService('model-servers')
