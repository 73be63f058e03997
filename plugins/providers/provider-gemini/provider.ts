/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import { callModel, type ModelProvider, modelServiceStatus, resolveModelService } from 'svc/sdk'
import { supportOf } from './formats.ts'
import { gemini, type Host } from './service.ts'

/** The provider `gemini`. */
export function geminiProvider(host: Host): ModelProvider {
  const { id, label, keyNames } = gemini
  return {
    name: id,
    label,
    aliases: ['google', 'google-gemini', 'google-ai-studio'],
    auth: { type: 'api-key', keyNames, page: 'https://aistudio.google.com/app/apikey' },
    status: async () => modelServiceStatus(gemini, host),
    async models() {
      const service = await resolveModelService(gemini, host)
      return 'failure' in service ? [] : (await import('./model-list.ts')).listModels(service, host)
    },
    formats: supportOf,
    async *stream(request) {
      const { contentCall } = await import('./call.ts')
      const service = await resolveModelService(gemini, host)
      if ('failure' in service) yield { type: 'failed', failure: service.failure }
      else yield* callModel(contentCall(service, request), host)
    },
  }
}
