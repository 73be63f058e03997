/** Finds the model of a provider that is being connected, and shows that its key is accepted. */
import { errorCode, type Translate } from 'svc/sdk'
import type { ConfigEdit } from 'svc/sdk/host'
import type { ModelFailure, ModelInfo, ModelProvider } from 'svc/sdk/provider'
import type { Connection, Dialogue } from './dialogue.ts'
import { askModel } from './try.ts'

/** OpenAI's Responses API refuses less. */
const MAX_OUTPUT_TOKENS = 16

/** What came of it; `left`: the person pressed Esc. */
export type ModelSearch =
  | { readonly state: 'found'; readonly model: string; readonly warning?: string }
  | { readonly state: 'left' }
  | { readonly state: 'refused' }
  | { readonly state: 'failed'; readonly reason: string }

/** Where the models are listed, and who answers a question. */
export interface Candidate {
  readonly provider: ModelProvider
  /** Rejects with `MODEL_KEY_REFUSED`. */
  list(): Promise<readonly ModelInfo[]>
  /** The key was just typed: a list alone does not show that it is accepted, because some services list for everybody. */
  readonly hasNewKey: boolean
}

/** Lets the person choose a listed model or type the name of one. */
export async function findModel(dialogue: Dialogue, candidate: Candidate): Promise<ModelSearch> {
  const { at, t } = dialogue
  let models: readonly ModelInfo[]
  try {
    models = await candidate.list()
  } catch (error) {
    if (errorCode(error) === 'MODEL_KEY_REFUSED') return { state: 'refused' }
    throw error
  }
  const model = await pickModel(dialogue, candidate.provider, models)
  if (model === undefined) return { state: 'left' }
  if (models.length > 0 && !candidate.hasNewKey) return { state: 'found', model }
  at.conversation.say(t('Asking {model} a short question...', { model }))
  const failure = await tryModel(dialogue, candidate.provider, model)
  if (failure?.kind === 'auth') return { state: 'refused' }
  if (failure && isFinal(failure)) return { state: 'failed', reason: failure.message }
  return failure
    ? { state: 'found', model, warning: t('A short test question failed: {reason}', { reason: failure.message }) }
    : { state: 'found', model }
}

/** What is to be written when a model was found. `label` names the provider in what is said. */
export function createConnection(
  found: ModelSearch,
  { label, edits = [], t }: { readonly label: string; readonly edits?: readonly ConfigEdit[]; readonly t: Translate },
): Connection {
  if (found.state === 'failed')
    return { problem: t('A short test question failed, so nothing was saved: {reason}', { reason: found.reason }) }
  if (found.state !== 'found') return undefined
  const { model, warning } = found
  return { label, model, edits, ...(warning !== undefined && { warning }) }
}

/** What time does not heal: nothing is saved then. */
function isFinal({ kind }: ModelFailure): boolean {
  return kind === 'unreachable' || kind === 'model-not-found'
}

async function pickModel(
  { at: { signal }, asking: { choose, ask }, t }: Dialogue,
  { label }: ModelProvider,
  models: readonly ModelInfo[],
): Promise<string | undefined> {
  if (models.length === 0) {
    const text = t('Could not get a list of models from {provider}. Type the name of a model', { provider: label })
    return (await ask({ text }, signal))?.trim() || undefined
  }
  if (models.length === 1) return models[0]?.id
  const items = models.map(({ id, label: detail }) => ({
    id,
    label: id,
    ...(detail !== undefined && detail !== id && { detail }),
  }))
  return choose({ title: t('Models'), items }, signal)
}

async function tryModel(
  { ctx, at }: Dialogue,
  provider: ModelProvider,
  model: string,
): Promise<ModelFailure | undefined> {
  const choice = { provider, model }
  return (await askModel(ctx, choice, { signal: at.signal, maxOutputTokens: MAX_OUTPUT_TOKENS })).failure
}
