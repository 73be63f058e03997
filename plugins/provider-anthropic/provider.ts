/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import { type ModelProvider, modelKeyStatus } from 'svc/sdk'
import { addressProblem, type Host, keySource, resolveService } from './service.ts'
import type { Vendor } from './vendors.ts'

/** The provider of one service. */
export function messagesProvider(vendor: Vendor, host: Host): ModelProvider {
  const { id, label, aliases, keyNames, page } = vendor
  return {
    name: id,
    label,
    aliases,
    auth: { type: 'api-key', keyNames, page },
    async status() {
      const problem = addressProblem(vendor, host)
      return problem === undefined ? modelKeyStatus(id, keyNames, keySource(host)) : { ready: false, detail: problem }
    },
    models: async () => (await import('./model-list.ts')).listModels(await resolveService(vendor, host), host),
    async *stream(request) {
      const { streamMessages } = await import('./stream.ts')
      yield* streamMessages(await resolveService(vendor, host), request, host)
    },
  }
}
