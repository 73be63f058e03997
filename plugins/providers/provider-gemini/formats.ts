/** How Gemini is told the form of an answer (https://ai.google.dev/gemini-api/docs/structured-output). */
import type { AnswerFormat, AnswerFormatSupport } from 'svc/sdk/provider'

/** Up to version 2.5 a form and functions exclude each other. */
const EARLIER = /^(models\/)?(gemini-[12](\.|-|$)|gemma)/
/** These do not answer with text, or know no form. */
const WITHOUT = /gemma|-image|-tts|-live|embedding/

export function getFormatSupport(model: string): AnswerFormatSupport | undefined {
  if (WITHOUT.test(model)) return undefined
  return { holds: 'schema', ...(EARLIER.test(model) ? {} : { besideTools: true }) }
}

/** What `generationConfig` says of it. `responseJsonSchema` is JSON Schema as it is, in the part that the service knows. */
export function formatFields({ schema }: AnswerFormat): object {
  return { responseMimeType: 'application/json', ...(schema === undefined ? {} : { responseJsonSchema: schema }) }
}
