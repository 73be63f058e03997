/** The Messages API for providers of other plugins. */
import type { PluginContext } from 'svc/sdk'
import { adaptCall, toResolvedEndpoint } from 'svc/sdk/kit/wire'
import { type AnthropicWires, streamModel } from 'svc/sdk/provider'
import type { Config } from './config.ts'
import type { Vendor } from './vendors.ts'

export function messagesWires(host: PluginContext<Config>): AnthropicWires {
  return {
    async *anthropicMessages(given, request) {
      const service = toResolvedEndpoint(given)
      if ('failure' in service) {
        yield [{ type: 'failed', failure: service.failure }]
        return
      }
      const { messagesCall } = await import('./call.ts')
      const vendor: Vendor = {
        id: given.name,
        label: given.label,
        aliases: [],
        keyNames: [],
        page: '',
        address: service.baseUrl,
        hosts: [],
        keyHeader: 'x-api-key',
        thinking: 'claude',
      }
      const call = messagesCall({ vendor, service, request, config: host.config })
      yield* streamModel(adaptCall(call, given), host)
    },
  }
}
