/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import { type ModelProvider, streamModel } from 'svc/sdk/provider'
import { getFormatSupport } from './formats.ts'
import { type Deps, KEY_NAMES, LABEL, NAME, resolveService, serviceStatus } from './service.ts'

/** The provider `bedrock`. */
export function bedrockProvider(deps: Deps): ModelProvider {
  return {
    name: NAME,
    label: LABEL,
    aliases: ['aws', 'aws-bedrock', 'amazon-bedrock'],
    auth: { type: 'api-key', keyNames: KEY_NAMES, page: 'https://console.aws.amazon.com/bedrock/home#/api-keys' },
    status: async () => serviceStatus(deps),
    async models() {
      const service = await resolveService(deps)
      return 'failure' in service ? [] : (await import('./model-list.ts')).listModels(service, deps)
    },
    formats: getFormatSupport,
    async *stream(request) {
      const { converseCall } = await import('./call.ts')
      const service = await resolveService(deps)
      if ('failure' in service) yield { type: 'failed', failure: service.failure }
      else yield* streamModel(converseCall(service, request), deps)
    },
  }
}
