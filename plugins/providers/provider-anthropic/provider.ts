/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import type { PluginContext } from 'svc/sdk'
import { anthropicSupportsFormat } from 'svc/sdk/kit/wire'
import { endpointStatus, type ModelProvider, resolveEndpoint, streamModel } from 'svc/sdk/provider'
import type { Config } from './config.ts'
import type { Vendor } from './vendors.ts'

/** The provider of one service. */
export function messagesProvider(vendor: Vendor, host: PluginContext<Config>): ModelProvider {
  const { id, label, aliases, keyNames, page, signIn, sideModel } = vendor
  return {
    name: id,
    label,
    aliases,
    auth: { type: signIn ?? 'api-key', keyNames, ...(page === undefined ? {} : { page }) },
    ...(sideModel === undefined ? {} : { sideModel }),
    status: async () => endpointStatus(vendor, host),
    async models(signal) {
      const service = await resolveEndpoint(vendor, host)
      return 'failure' in service ? [] : (await import('./model-list.ts')).listModels(service, vendor, host, signal)
    },
    tiers: (model) => (vendor.fast?.test(model) ? ['priority', 'default'] : []),
    ...(vendor.thinking === 'claude' && { formats: anthropicSupportsFormat }),
    async *stream(request) {
      const { messagesCall } = await import('./call.ts')
      const service = await resolveEndpoint(vendor, host)
      if ('failure' in service) yield { type: 'failed', failure: service.failure }
      else yield* streamModel(messagesCall({ vendor, service, request, config: host.config }), host)
    },
  }
}
