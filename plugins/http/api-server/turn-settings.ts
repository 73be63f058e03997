/** From the body of a request to the settings of its turn: the one place where a field of the API becomes one. */
import type { TurnSettings } from 'svc/sdk/sessions'
import { readAnswerFormat } from './answer-format.ts'
import type { Api } from './api.ts'
import { routeTo } from './turns.ts'

/** Rejects for a form of answer that is malformed or that the model cannot be held to. */
export async function readTurnSettings(
  api: Api,
  body: Readonly<Record<string, unknown>> & { readonly model?: string | undefined },
): Promise<TurnSettings> {
  const format = await readAnswerFormat(api, body)
  return { ...routeTo(api.ctx.config, body.model), ...(format && { format }) }
}
