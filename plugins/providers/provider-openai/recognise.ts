/**
 * Who answers on a port: something else on 8080 must not be taken for a model server. Shapes from the public pages
 * docs.ollama.com/api (`/api/version`, `/api/tags`), lmstudio.ai/docs/developer/rest (`/api/v0/models`,
 * `/api/v1/models`), llama.cpp tools/server/README.md (`/v1/models`, `/props`) and docs.vllm.ai (OpenAI-compatible
 * server: `/v1/models`, `/version`).
 */
import type { ModelInfo } from 'svc/sdk/provider'
import { chats, modelInfo } from './model-list.ts'

/** The answer to one probe. `json` is undefined when it was none. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly json: unknown
}

/** What a server said about itself. */
export type Recognised =
  | { readonly state: 'ready'; readonly models: readonly ModelInfo[] }
  | { readonly state: 'loading' | 'locked' }

/** Tells a server by its answers, given in the order of the entry's `paths`; undefined when it is another one. */
export type Recognise = (answers: readonly (Answer | undefined)[]) => Recognised | undefined

interface OllamaModel {
  readonly name?: unknown
  readonly details?: { readonly family?: unknown } | null
}

export const ollama: Recognise = ([version, tags]) => {
  const { version: number } = object(version)
  const { models } = object(tags)
  if (typeof number !== 'string' || !Array.isArray(models)) return undefined
  const chatting = (models as OllamaModel[]).filter(({ details }) => !String(details?.family ?? '').includes('bert'))
  return ready(chatting.flatMap(({ name }) => (typeof name === 'string' ? [{ id: name }] : [])))
}

interface LmStudioModel {
  readonly id?: unknown
  readonly key?: unknown
  readonly type?: unknown
  readonly state?: unknown
  readonly max_context_length?: unknown
  readonly loaded_context_length?: unknown
  readonly loaded_instances?: readonly { readonly config?: { readonly context_length?: unknown } }[]
}

/** `/api/v0/models` is deprecated in favour of `/api/v1/models`; either will do. Loaded models come first. */
export const lmStudio: Recognise = (answers) => {
  if (answers.some((answer) => isLocked(answer) && object(answer)['error'] !== undefined)) return { state: 'locked' }
  const [v0, v1] = answers
  const { data } = object(v0)
  const { models } = object(v1)
  const list = Array.isArray(data) ? data : models
  if (!Array.isArray(list) || !(list as LmStudioModel[]).every(isLmStudioModel)) return undefined
  const chatting = (list as LmStudioModel[]).filter(({ type }) => !String(type).startsWith('embedding'))
  const loaded = chatting.filter(isLoaded)
  return ready([...loaded, ...chatting.filter((model) => !isLoaded(model))].map(lmStudioInfo))
}

function isLmStudioModel({ id, key, type }: LmStudioModel): boolean {
  return typeof (id ?? key) === 'string' && typeof type === 'string'
}

function isLoaded({ state, loaded_instances }: LmStudioModel): boolean {
  return state === 'loaded' || (loaded_instances?.length ?? 0) > 0
}

function lmStudioInfo(model: LmStudioModel): ModelInfo {
  const loaded = model.loaded_instances?.[0]?.config?.context_length ?? model.loaded_context_length
  return modelInfo(String(model.id ?? model.key), loaded ?? model.max_context_length)
}

/** `/props` names the context that one request really has. */
export const llamaCpp: Recognise = ([list, props]) => {
  const known = [list, props].some((answer) => answer?.headers['server'] === 'llama.cpp')
  const { data } = object(list)
  const { default_generation_settings: settings } = object(props) as {
    default_generation_settings?: { n_ctx?: unknown }
  }
  const models = findOwnedModels(data, 'llamacpp') ?? (known && Array.isArray(data) ? [] : undefined)
  if (!known && !settings && !models) return undefined
  if (list?.status === 503) return { state: 'loading' }
  if (isLocked(list)) return { state: 'locked' }
  return models && ready(models.map(({ id, meta }) => modelInfo(id, settings?.n_ctx ?? meta?.n_ctx)))
}

export const vllm: Recognise = ([list, version]) => {
  const { data } = object(list)
  if (isLocked(list) && typeof object(version)['version'] === 'string') return { state: 'locked' }
  const models = findOwnedModels(data, 'vllm')
  return models && ready(models.map(({ id, max_model_len }) => modelInfo(id, max_model_len)))
}

interface OwnedModel {
  readonly id: string
  readonly owned_by?: unknown
  readonly max_model_len?: unknown
  readonly meta?: { readonly n_ctx?: unknown } | null
}

/** The models of an OpenAI list when the first belongs to `owner`: servers sign their lists with it. */
function findOwnedModels(data: unknown, owner: string): readonly OwnedModel[] | undefined {
  if (!Array.isArray(data)) return undefined
  const models = (data as OwnedModel[]).filter((model) => typeof model?.id === 'string')
  return models[0]?.owned_by === owner ? models : undefined
}

function ready(models: readonly ModelInfo[]): Recognised {
  return { state: 'ready', models: models.filter(({ id }) => chats(id)) }
}

function isLocked(answer: Answer | undefined): boolean {
  return answer?.status === 401 || answer?.status === 403
}

function object(answer: Answer | undefined): Record<string, unknown> {
  return typeof answer?.json === 'object' && answer.json !== null ? (answer.json as Record<string, unknown>) : {}
}
