/** One call of `:streamGenerateContent`, as data for `callModel`. */
import { easierRequest, type ModelCall, type ModelRequest, type ModelService } from 'svc/sdk'
import { Answer } from './assemble.ts'
import { apiOf, gemini, headersOf } from './service.ts'
import { PICTURES, requestBody } from './wire.ts'

type Kind = ReturnType<NonNullable<ModelCall['errors']['kind']>>

/** A wrong key is a bad request there, and a full context is told in other words. */
const WORDS: readonly (readonly [RegExp, Kind])[] = [
  [/API[ _]key (not valid|expired)|API_KEY_INVALID|API key was reported as leaked/i, 'auth'],
  [/input token count .{0,40}exceeds|exceeds the maximum number of tokens/i, 'context-overflow'],
  [/models\/\S+ is not found|is not supported for generateContent/i, 'model-not-found'],
]
/** What is particular to Google's errors (https://ai.google.dev/gemini-api/docs/troubleshooting). */
const ERRORS: ModelCall['errors'] = {
  noun: 'content',
  api: "Google's API",
  // A quota that comes back by itself has a time; one that has to be paid for has none.
  kind: ({ status, message, wait }) =>
    status === 429 && wait !== undefined ? 'rate-limit' : WORDS.find(([pattern]) => pattern.test(message))?.[1],
  wait: retryDelayMs,
}

/** What the service says about thinking that a model cannot do, and about signatures that it does not know. */
const COMPLAINTS = {
  options: /thinking|include_?thoughts/i,
  carried: /thought[_ ]?signature/i,
}

/** The call of a model. */
export function contentCall(service: ModelService, request: ModelRequest): ModelCall {
  const { setting } = service
  const model = encodeURIComponent(request.model.replace(/^models\//, ''))
  const url = `${apiOf(service)}/models/${model}:streamGenerateContent?alt=sse`
  return {
    ...service,
    who: gemini.label,
    change: setting && `If the address is wrong: \`svc config set ${setting} https://host/v1beta\`.`,
    request,
    pictures: PICTURES,
    idPrefix: 'call_',
    errors: ERRORS,
    post: (asked) => ({ url, headers: headersOf(service), body: requestBody(asked) }),
    easier: (asked, complaint) => easierRequest(asked, complaint, { provider: gemini.id, ...COMPLAINTS }),
    answer: (newId) => new Answer({ provider: gemini.id, model: request.model, newId }),
  }
}

/** `google.rpc.RetryInfo` among the details: `"retryDelay": "34.07s"`. */
function retryDelayMs(body: string): number | undefined {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000)
}
