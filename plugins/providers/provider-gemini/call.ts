/** One call of `:streamGenerateContent`, as data for `streamModel`. */
import { type ModelCallSpec, type ModelRequest, type ResolvedEndpoint, withoutRejectedOptions } from 'svc/sdk/provider'
import { Answer } from './assemble.ts'
import { errorRules } from './error-rules.ts'
import { createHeaders, gemini, getApiAddress } from './service.ts'
import { PICTURES, requestBody } from './wire.ts'

const ERRORS: ModelCallSpec['errors'] = { noun: 'content', api: "Google's API", rules: errorRules }

/** What the service says about thinking that a model cannot do, and about signatures that it does not know. */
const COMPLAINTS = {
  options: /thinking|include_?thoughts/i,
  carried: /thought[_ ]?signature/i,
  tier: /service[_ ]?tier/i,
}

/** The call of a model. */
export function contentCall(service: ResolvedEndpoint, request: ModelRequest): ModelCallSpec {
  const { setting } = service
  const model = encodeURIComponent(request.model.replace(/^models\//, ''))
  let isUsual = false
  const url = `${getApiAddress(service)}/models/${model}:streamGenerateContent?alt=sse`
  return {
    ...service,
    who: gemini.label,
    change: setting && `If the address is wrong: \`svc config set ${setting} https://host/v1beta\`.`,
    request,
    pictures: PICTURES,
    idPrefix: 'call_',
    errors: ERRORS,
    post: (asked) => ({ url, headers: createHeaders(service), body: requestBody(asked) }),
    easier(asked, complaint) {
      const easier = withoutRejectedOptions(asked, complaint, { provider: gemini.id, ...COMPLAINTS })
      isUsual ||= asked.serviceTier !== undefined && easier !== undefined && easier.serviceTier === undefined
      return easier
    },
    answer: (newId) => new Answer({ provider: gemini.id, model: request.model, newId, isUsual }),
  }
}
