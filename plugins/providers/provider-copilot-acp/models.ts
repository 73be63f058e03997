/** The models of a session, in either form in which agents offer them. */
import type { NewSessionResponse } from '@agentclientprotocol/sdk'
import type { ModelInfo } from 'svc/sdk/provider'

/** The model that the program has chosen. */
export const OWN = 'default'

/** What a session offers, and how one is chosen. */
export interface Offer {
  readonly models: readonly ModelInfo[]
  /** The method and its parameters. */
  choose(model: string): { readonly method: string; readonly params: object }
}

/** A configuration option of the category `model`; before that there was a list of its own. Undefined: no choice is offered. */
export function readOffer(session: NewSessionResponse): Offer | undefined {
  const { sessionId } = session
  const option = session.configOptions?.find(({ type, category }) => type === 'select' && category === 'model')
  if (option?.type === 'select') {
    const flat = option.options.flatMap((each) => ('options' in each ? each.options : [each]))
    return {
      models: flat.map(({ value, name }) => ({ id: value, label: name })),
      choose: (value) => ({
        method: 'session/set_config_option',
        params: { sessionId, configId: option.id, type: 'id', value },
      }),
    }
  }
  const { models } = session as { readonly models?: { readonly availableModels?: readonly Listed[] } | null }
  if (!models?.availableModels) return undefined
  return {
    models: models.availableModels.map(({ modelId, name }) => ({ id: modelId, label: name ?? modelId })),
    choose: (modelId) => ({ method: 'session/set_model', params: { sessionId, modelId } }),
  }
}

interface Listed {
  readonly modelId: string
  readonly name?: string
}
