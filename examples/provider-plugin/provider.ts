/** Ollama by its own protocol. Source: https://github.com/ollama/ollama/blob/main/docs/api.md */
import type { Net } from 'svc/sdk'
import type { ModelEvent, ModelProvider, ModelRequest } from 'svc/sdk/provider'
import { errorFailure, failure, statusFailure } from './failure.ts'
import { Answer, createBody, readLines } from './wire.ts'

/** What the provider needs of the outside: the network, and ids for tool calls, which Ollama does not name. */
export interface Outside {
  readonly request: Net['request']
  readonly newId: () => string
}

/** The provider for the server at `baseUrl`. */
export function ollama(baseUrl: string, outside: Outside): ModelProvider {
  return {
    name: 'ollama-native',
    label: 'Ollama (its own protocol)',
    async status() {
      const models = await list(baseUrl, outside).catch(() => undefined)
      const said = models ? 'it answers' : 'nothing answers; start it with `ollama serve`'
      return { ready: models !== undefined, detail: `${said} (${baseUrl})`, local: true }
    },
    models: () => list(baseUrl, outside).catch(() => []),
    async *stream(request) {
      try {
        yield* chat(baseUrl, request, outside)
      } catch (error) {
        yield { type: 'failed', failure: errorFailure(error, request) }
      }
    },
  }
}

async function list(baseUrl: string, { request }: Outside): Promise<{ id: string }[]> {
  const response = await request({ url: `${baseUrl}/api/tags`, timeoutMs: 2000 })
  const { models } = JSON.parse(await response.text()) as { models: readonly { name: string }[] }
  return models.map(({ name }) => ({ id: name }))
}

async function* chat(baseUrl: string, request: ModelRequest, outside: Outside): AsyncGenerator<ModelEvent> {
  const response = await outside.request({
    url: `${baseUrl}/api/chat`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(createBody(request)),
    signal: request.signal,
  })
  if (response.status !== 200) {
    yield { type: 'failed', failure: statusFailure(response.status, await response.text()) }
    return
  }
  const answer = new Answer(outside.newId)
  for await (const line of readLines(response.body)) {
    yield* answer.take(line)
    if (answer.isOver) return
  }
  yield { type: 'failed', failure: failure('cut', 'Ollama ended its answer in the middle. Ask again.') }
}
