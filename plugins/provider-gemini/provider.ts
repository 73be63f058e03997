/** What the plugin contributes. Everything that talks to the network is loaded at the first call. */
import { type ModelProvider, Secrets } from 'svc/sdk'
import { type Host, keyNameOf, LABEL, resolveService } from './service.ts'

/** The provider `gemini`. */
export function geminiProvider(host: Host): ModelProvider {
  const signatures = new Map<string, string>()
  return {
    name: 'gemini',
    label: LABEL,
    status: async () => status(host),
    models: async () => (await import('./model-list.ts')).listModels(resolveService(host), host),
    async *stream(request) {
      const { streamContent } = await import('./stream.ts')
      yield* streamContent(resolveService(host), request, { host, signatures })
    },
  }
}

function status(host: Host) {
  const service = resolveService(host)
  if ('problem' in service) return { ready: false, detail: service.problem }
  const keyName = keyNameOf(host)
  const source = host.use(Secrets).source(keyName)
  return source === undefined
    ? { ready: false, detail: `${keyName} is not set` }
    : { ready: true, detail: `${keyName} is set (${source})` }
}
