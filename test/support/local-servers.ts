/**
 * How local model servers show who they are, after docs.ollama.com/api (`/api/version`, `/api/tags`),
 * lmstudio.ai/docs/developer/rest/endpoints (`/api/v0/models`; unknown paths are answered with status 200),
 * llama.cpp tools/server/README.md (`/health`, `/props`, `/v1/models`, header `Server: llama.cpp`) and docs.vllm.ai
 * (OpenAI-compatible server: `/v1/models`, `/version`, `/health`).
 */

/** `openai`: a plain compatible server; `other`: a web server that has nothing to do with models. */
export type ServerKind = 'openai' | 'ollama' | 'lmstudio' | 'llama-cpp' | 'vllm' | 'other'

/** The answer to a GET. */
export interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a server of this kind answers to GET `path`, with and without the key that it wants. */
export function page(
  kind: ServerKind,
  path: string,
  models: readonly string[],
  state: 'ready' | 'loading' | 'locked',
): Page {
  if (kind === 'other') return { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not found</h1>' }
  const server: Record<string, string> = kind === 'llama-cpp' ? { server: 'llama.cpp' } : {}
  const json = (body: object, status = 200): Page => ({
    status,
    headers: { ...server, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (state === 'loading')
    return json({ error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }, 503)
  if (state === 'locked' && path !== '/version' && path !== '/health')
    return json({ error: { message: 'Invalid API Key', type: 'authentication_error', code: 401 } }, 401)
  const body = own(kind, path, models)
  if (body) return json(body)
  if (path === '/v1/models') return json({ object: 'list', data: models.map((id, index) => listed(kind, id, index)) })
  return kind === 'lmstudio'
    ? json({ error: `Unexpected endpoint or method. (GET ${path})` })
    : json({ error: { message: 'Not found', type: 'not_found_error', code: 404 } }, 404)
}

function own(kind: ServerKind, path: string, models: readonly string[]): object | undefined {
  switch (`${kind} ${path}`) {
    case 'ollama /api/version':
      return { version: '0.12.6' }
    case 'ollama /api/tags':
      return { models: models.map(ollamaModel) }
    case 'lmstudio /api/v0/models':
      return { object: 'list', data: models.map(lmStudioModel) }
    case 'llama-cpp /health':
      return { status: 'ok' }
    case 'llama-cpp /props':
      return { default_generation_settings: { n_ctx: 4096 }, total_slots: 1, model_path: models[0], build_info: 'b1' }
    case 'vllm /version':
      return { version: '0.11.0' }
    default:
      return undefined
  }
}

function ollamaModel(name: string) {
  const family = name.includes('embed') ? 'nomic-bert' : 'llama'
  return {
    name,
    model: name,
    modified_at: '2026-01-01T00:00:00Z',
    size: 2_000_000_000,
    digest: 'a80c4f17acd55265feec403c7aef86be0c25983ab279d83f3bcd3abbcb5b8b72',
    details: { format: 'gguf', family, families: [family], parameter_size: '3B', quantization_level: 'Q4_K_M' },
  }
}

/** The last model is loaded, the others are not. */
function lmStudioModel(id: string, index: number, all: readonly string[]) {
  return {
    id,
    object: 'model',
    type: id.includes('embed') ? 'embeddings' : 'llm',
    publisher: 'somebody',
    arch: 'llama',
    compatibility_type: 'gguf',
    quantization: 'Q4_K_M',
    state: index === all.length - 1 ? 'loaded' : 'not-loaded',
    max_context_length: 8192,
  }
}

function listed(kind: ServerKind, id: string, index: number) {
  const created = 1_700_000_000 + index
  switch (kind) {
    case 'llama-cpp':
      return { id, object: 'model', created, owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } }
    case 'vllm':
      return { id, object: 'model', created, owned_by: 'vllm', root: id, parent: null, max_model_len: 16_384 }
    default:
      return { id, object: 'model', created, owned_by: 'somebody' }
  }
}
