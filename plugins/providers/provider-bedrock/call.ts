/** One call of `ConverseStream`, as data for `streamModel`. */
import { type ModelCallSpec, type ModelRequest, withoutRejectedOptions } from 'svc/sdk/provider'
import { Answer } from './assemble.ts'
import { errorRules } from './error-rules.ts'
import { frameReader } from './frames.ts'
import { type BedrockService, LABEL, NAME } from './service.ts'
import { PICTURES, requestBody } from './wire.ts'

const EVENT_STREAM = 'application/vnd.amazon.eventstream'

/** Those that are signed when there is something to sign. */
const HEADERS = { 'content-type': 'application/json', accept: EVENT_STREAM }

/** By the type of the exception, in lower case and without its last word. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  validation: 400,
  accessdenied: 403,
  modeltimeout: 408,
  modelstreamerror: 424,
  throttling: 429,
  internalserver: 500,
  serviceunavailable: 503,
}
const ERRORS: ModelCallSpec['errors'] = {
  noun: 'event stream',
  api: 'Bedrock',
  codeHeader: 'x-amzn-errortype',
  rules: errorRules,
  status: (code) => STATUS_OF_TYPE[toErrorName(code)],
}

/** What services say about options that a model does not know, and about thoughts that came back changed. */
const COMPLAINTS = {
  options: /thinking\.(type|budget|disabled|enabled|adaptive)|budget_tokens|effort|temperature|reasoningConfig/i,
  carried: /signature|thinking|reasoning/i,
}

/** The call of a model. */
export function converseCall(service: BedrockService, request: ModelRequest): ModelCallSpec {
  const { baseUrl, setting } = service
  const url = `${baseUrl}/model/${encodeURIComponent(request.model)}/converse-stream`
  const { key, isLoopback } = service
  return {
    baseUrl,
    isLoopback,
    key,
    who: LABEL,
    change: `Bedrock is not in every region: check AWS_REGION${setting ? ` and ${setting}` : ''}.`,
    request,
    pictures: PICTURES,
    idPrefix: 'tooluse_',
    errors: ERRORS,
    stream: { type: EVENT_STREAM, reader: frameReader },
    post: (asked) => service.request({ method: 'POST', url, headers: HEADERS, body: requestBody(asked) }),
    easier: (asked, complaint) => withoutRejectedOptions(asked, complaint, { provider: NAME, ...COMPLAINTS }),
    answer: (newId) => new Answer({ provider: NAME, model: request.model, newId }),
  }
}

function toErrorName(type: string): string {
  return type.toLowerCase().replace(/(exception|error)$/, '')
}
