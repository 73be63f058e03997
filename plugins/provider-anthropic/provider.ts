/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import { type ModelProvider, Secrets } from 'svc/sdk'
import { type Host, KEY_NAME, LABEL, resolveService } from './service.ts'

/** The provider `anthropic`. */
export function anthropicProvider(host: Host): ModelProvider {
  return {
    name: 'anthropic',
    label: LABEL,
    status: async () => status(host),
    models: async () => (await import('./model-list.ts')).listModels(resolveService(host), host),
    async *stream(request) {
      const { streamMessages } = await import('./stream.ts')
      yield* streamMessages(resolveService(host), request, host)
    },
  }
}

function status(host: Host) {
  const service = resolveService(host)
  if ('problem' in service) return { ready: false, detail: service.problem }
  const source = host.use(Secrets).source(KEY_NAME)
  return source === undefined
    ? { ready: false, detail: `${KEY_NAME} is not set` }
    : { ready: true, detail: `${KEY_NAME} is set (${source})` }
}
