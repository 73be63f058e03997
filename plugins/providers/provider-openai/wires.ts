/** The two wires for providers of other plugins. */
import { adaptCall, toResolvedEndpoint } from 'svc/sdk/kit/wire'
import { type OpenAiWires, streamModel, type WireEndpoint } from 'svc/sdk/provider'
import type { Memory } from './call.ts'
import { type CustomEntry, openly } from './catalog.ts'
import type { Deps, Endpoint } from './endpoint.ts'

/** Providers whose refused options are remembered. */
const MAX_REMEMBERED = 100

/** Contract: `OpenAiWires` of the SDK. */
export class Wires implements OpenAiWires {
  readonly openaiChat: OpenAiWires['openaiChat']
  readonly openaiResponses: OpenAiWires['openaiResponses']
  readonly #host: Deps
  readonly #memories = new Map<string, Memory>()

  constructor(host: Deps) {
    this.#host = host
    this.openaiChat = (endpoint, request) => this.#stream('chat', endpoint, request)
    this.openaiResponses = (endpoint, request) => this.#stream('responses', endpoint, request)
  }

  async *#stream(
    wire: Endpoint['wire'],
    given: WireEndpoint,
    request: Parameters<OpenAiWires['openaiChat']>[1],
  ): ReturnType<OpenAiWires['openaiChat']> & AsyncGenerator {
    const service = toResolvedEndpoint(given)
    if ('failure' in service) {
      yield [{ type: 'failed', failure: service.failure }]
      return
    }
    const { compatibleCall } = await import('./call.ts')
    const entry: CustomEntry = {
      kind: 'custom',
      id: given.name,
      label: given.label,
      limitField: 'max_tokens',
      ...openly,
    }
    const endpoint = { ...service, entry, query: '', wire, extraHeaders: {}, extraBody: {} }
    const call = compatibleCall(endpoint, request, this.#remember(`${wire} ${given.name} ${service.baseUrl}`))
    yield* streamModel(adaptCall(call, given), this.#host)
  }

  #remember(key: string): Memory {
    const memory = this.#memories.get(key) ?? {}
    if (this.#memories.size >= MAX_REMEMBERED) this.#memories.clear()
    this.#memories.set(key, memory)
    return memory
  }
}
