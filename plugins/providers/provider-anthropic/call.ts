/** One call of `POST /v1/messages`, as data for `streamModel`. */
import { type ModelCallSpec, type ModelRequest, type ResolvedEndpoint, withoutRejectedOptions } from 'svc/sdk/provider'
import { Answer } from './assemble.ts'
import type { Config } from './config.ts'
import { errorRules } from './error-rules.ts'
import type { Vendor } from './vendors.ts'
import { isFast, PICTURES, requestBody } from './wire.ts'

/** https://docs.anthropic.com/en/api/versioning */
const VERSION = '2023-06-01'

/** Tokens of a sign-in, which `claude setup-token` prints, too; keys begin with `sk-ant-api`. */
const TOKEN_PREFIX = 'sk-ant-oat'
const TOKEN_BETA = 'oauth-2025-04-20'
/** Some models want it with `speed`; for others it says nothing new. */
const FAST_BETA = 'fast-mode-2026-02-01'

/** Types of errors that come in the middle of a stream, as statuses (https://docs.anthropic.com/en/api/errors). */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
}
const ERRORS: ModelCallSpec['errors'] = {
  noun: 'message',
  api: 'the Messages API',
  rules: errorRules,
  status: (type) => STATUS_OF_TYPE[type],
}

/** What services say about options that a model does not know, and about thoughts that came back changed. */
const COMPLAINTS = {
  options: /thinking\.(type|budget|disabled|enabled|adaptive)|budget_tokens|effort|temperature|between_tools/i,
  carried: /signature|thinking/i,
  tier: /\bspeed\b|fast[ -]mode/i,
}

/** What it takes to make one call. */
interface CallInput {
  readonly vendor: Vendor
  readonly service: ResolvedEndpoint
  readonly request: ModelRequest
  readonly config: Config
}

/** The call of one service. */
export function messagesCall({ vendor, service, request, config }: CallInput): ModelCallSpec {
  const { setting } = service
  const [url, headers] = [`${getApiAddress(service)}/messages`, createHeaders(vendor, service)]
  let isUsual = false
  return {
    ...service,
    who: vendor.label,
    change: setting && `If the address is wrong: \`svc config set ${setting} https://host\`.`,
    request,
    pictures: PICTURES,
    idPrefix: 'toolu_',
    errors: ERRORS,
    post: (asked) => ({
      url,
      headers: isFast(asked, vendor) ? addBeta(headers, FAST_BETA) : headers,
      body: requestBody(asked, vendor, config),
    }),
    easier(asked, complaint) {
      const easier =
        withLowerLimit(asked, complaint) ??
        withoutRejectedOptions(asked, complaint, { provider: vendor.id, ...COMPLAINTS })
      isUsual ||= asked.serviceTier !== undefined && easier !== undefined && easier.serviceTier === undefined
      return easier
    },
    answer: (newId) => new Answer({ provider: vendor.id, model: request.model, newId, isUsual }),
  }
}

function addBeta(headers: Record<string, string>, beta: string): Record<string, string> {
  const { 'anthropic-beta': own, ...others } = headers
  return { ...others, 'anthropic-beta': own === undefined ? beta : `${own},${beta}` }
}

/** `max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for ...`: with that maximum. */
function withLowerLimit(asked: ModelRequest, complaint: string): ModelRequest | undefined {
  const most = Number(/max_tokens: \d+ > (\d+)/.exec(complaint)?.[1])
  return most > 0 && most !== asked.maxOutputTokens ? { ...asked, maxOutputTokens: most } : undefined
}

/** Forgives an address that was copied together with its path. */
export function getApiAddress({ baseUrl }: ResolvedEndpoint): string {
  return `${baseUrl.replace(/\/v1(\/messages)?$/, '')}/v1`
}

/** What every request carries. */
export function createHeaders({ keyHeader }: Vendor, { key }: ResolvedEndpoint): Record<string, string> {
  const { value } = key
  if (value === undefined) return { 'anthropic-version': VERSION }
  if (value.startsWith(TOKEN_PREFIX))
    return { 'anthropic-version': VERSION, 'anthropic-beta': TOKEN_BETA, authorization: `Bearer ${value}` }
  const own = keyHeader === 'authorization' ? `Bearer ${value}` : value
  return { 'anthropic-version': VERSION, [keyHeader]: own }
}
