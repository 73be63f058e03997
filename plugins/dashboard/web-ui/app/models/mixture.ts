/** The draft of a mixture of models in the form, and the request that saves it. */
import { t } from '../client/language.ts'
import { api, type ResultOf } from '../client/typed.ts'

export type Mixtures = ResultOf<'GET', '/api/model/moa'>
export type Preset = Mixtures['presets'][string]
type ModelName = Preset['aggregator']

/** The provider whose models are the mixtures. */
export const MIXTURES = 'moa'

export interface DraftModel extends ModelName {
  /** Of the row in the form. */
  readonly key: number
}

/** Numbers are as they were typed; an empty temperature is that of the provider. */
export interface Draft {
  readonly name: string
  readonly references: readonly DraftModel[]
  readonly aggregator: ModelName
  readonly referenceTemperature: string
  readonly aggregatorTemperature: string
  readonly maxTokens: string
  readonly timeout: string
}

export function toDraft(name: string, preset: Preset): Draft {
  return {
    name,
    references: preset.reference_models.map((model, key) => ({ ...model, key })),
    aggregator: preset.aggregator,
    referenceTemperature: String(preset.reference_temperature ?? ''),
    aggregatorTemperature: String(preset.aggregator_temperature ?? ''),
    maxTokens: String(preset.max_tokens),
    timeout: String(preset.timeout),
  }
}

/** One that `model` answers alone, to begin with. */
export function createPreset(model: ModelName): Preset {
  return { enabled: true, reference_models: [model], aggregator: model, max_tokens: 4096, timeout: 300 }
}

export function fromDraft(draft: Draft, enabled: boolean): Preset {
  const { references, aggregator, referenceTemperature: first, aggregatorTemperature: last } = draft
  return {
    enabled,
    reference_models: references.map(({ provider, model }) => ({ provider, model: model.trim() })),
    aggregator: { provider: aggregator.provider, model: aggregator.model.trim() },
    max_tokens: Number(draft.maxTokens),
    timeout: Number(draft.timeout),
    ...(first !== '' && { reference_temperature: Number(first) }),
    ...(last !== '' && { aggregator_temperature: Number(last) }),
  }
}

interface Change {
  readonly name: string
  /** As it was read; undefined: a new one. */
  readonly before: Preset | undefined
  /** Undefined: it is removed. */
  readonly after: Preset | undefined
}

/**
 * Changes one mixture. They are stored as a whole, so the others are read again first. Rejects with what the server says, and
 * where the mixture is another one by now.
 */
export async function changeMixture({ name, before, after }: Change): Promise<void> {
  const now = await api.get('/api/model/moa', {})
  if (JSON.stringify(now.presets[name]) !== JSON.stringify(before))
    throw new Error(
      before
        ? t('It was changed elsewhere meanwhile. Close this window and load the page again.')
        : t('A mixture of this name exists already.'),
    )
  const { [name]: _, ...others } = now.presets
  const presets = after ? { ...now.presets, [name]: after } : others
  // The first one is also that of the command.
  const isFirst = Object.keys(now.presets).length === 0
  await api.put('/api/model/moa', { presets, ...(isFirst && { default_preset: name }) })
}
