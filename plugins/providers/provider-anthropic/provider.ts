/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import {
  callModel,
  claudeFormats,
  type ModelProvider,
  modelServiceStatus,
  type PluginContext,
  resolveModelService,
} from 'svc/sdk'
import type { Config } from './config.ts'
import type { Vendor } from './vendors.ts'

/** The provider of one service. */
export function messagesProvider(vendor: Vendor, host: PluginContext<Config>): ModelProvider {
  const { id, label, aliases, keyNames, page } = vendor
  return {
    name: id,
    label,
    aliases,
    auth: { type: 'api-key', keyNames, page },
    status: async () => modelServiceStatus(vendor, host),
    async models() {
      const service = await resolveModelService(vendor, host)
      return 'failure' in service ? [] : (await import('./model-list.ts')).listModels(service, vendor, host)
    },
    ...(vendor.thinking === 'claude' && { formats: claudeFormats }),
    async *stream(request) {
      const { messagesCall } = await import('./call.ts')
      const service = await resolveModelService(vendor, host)
      if ('failure' in service) yield { type: 'failed', failure: service.failure }
      else yield* callModel(messagesCall({ vendor, service, request, config: host.config }), host)
    },
  }
}
