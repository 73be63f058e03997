/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import { type ModelProvider, modelKeyStatus } from 'svc/sdk'
import { addressProblem, type Host, KEY_NAMES, keySource, LABEL, NAME, resolveService } from './service.ts'

/** The provider `gemini`. */
export function geminiProvider(host: Host): ModelProvider {
  return {
    name: NAME,
    label: LABEL,
    aliases: ['google', 'google-gemini', 'google-ai-studio'],
    auth: { type: 'api-key', keyNames: KEY_NAMES, page: 'https://aistudio.google.com/app/apikey' },
    async status() {
      const problem = addressProblem(host)
      return problem === undefined
        ? modelKeyStatus(NAME, KEY_NAMES, keySource(host))
        : { ready: false, detail: problem }
    },
    models: async () => (await import('./model-list.ts')).listModels(await resolveService(host), host),
    async *stream(request) {
      const { streamContent } = await import('./stream.ts')
      yield* streamContent(await resolveService(host), request, host)
    },
  }
}
