/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import { endpointStatus, type ModelProvider, resolveEndpoint, streamModel } from 'svc/sdk/provider'
import { getFormatSupport } from './formats.ts'
import { type Deps, gemini } from './service.ts'

/** The provider `gemini`. */
export function geminiProvider(deps: Deps): ModelProvider {
  const { id, label, keyNames } = gemini
  return {
    name: id,
    label,
    aliases: ['google', 'google-gemini', 'google-ai-studio'],
    sideModel: 'gemini-3.5-flash',
    auth: { type: 'api-key', keyNames, page: 'https://aistudio.google.com/app/apikey' },
    status: async () => endpointStatus(gemini, deps),
    async models(signal) {
      const service = await resolveEndpoint(gemini, deps)
      return 'failure' in service ? [] : (await import('./model-list.ts')).listModels(service, deps, signal)
    },
    formats: getFormatSupport,
    tiers: () => ['priority', 'flex', 'default'],
    async *stream(request) {
      const { contentCall } = await import('./call.ts')
      const service = await resolveEndpoint(gemini, deps)
      if ('failure' in service) yield { type: 'failed', failure: service.failure }
      else yield* streamModel(contentCall(service, request), deps)
    },
  }
}
