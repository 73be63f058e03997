/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import { type ModelProvider, modelKeyStatus } from 'svc/sdk'
import { type Host, KEY_NAMES, keySource, LABEL, NAME, placeOf, resolveService } from './service.ts'

/** The provider `bedrock`. */
export function bedrockProvider(host: Host): ModelProvider {
  return {
    name: NAME,
    label: LABEL,
    aliases: ['aws', 'aws-bedrock', 'amazon-bedrock'],
    auth: { type: 'api-key', keyNames: KEY_NAMES, page: 'https://console.aws.amazon.com/bedrock/home#/api-keys' },
    async status() {
      const place = placeOf(host)
      if ('problem' in place) return { ready: false, detail: place.problem }
      const { ready, detail } = modelKeyStatus(NAME, KEY_NAMES, keySource(host))
      return { ready, detail: ready ? `${detail}, region ${place.region}` : detail }
    },
    models: async () => (await import('./model-list.ts')).listModels(await resolveService(host), host),
    async *stream(request) {
      const { streamConverse } = await import('./stream.ts')
      yield* streamConverse(await resolveService(host), request, host)
    },
  }
}
