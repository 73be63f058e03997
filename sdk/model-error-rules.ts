/** What the errors of model services mean: one table for the words that many of them share, and the judge of all tables. */
import type { ModelFailure } from './providers.ts'

/**
 * One line of a table: an error to which all of this applies is of this kind. The first line that fits decides.
 * @since 0.1
 */
export interface ErrorRule {
  readonly kind: ModelFailure['kind']
  readonly status?: readonly number[]
  /** Of the words by which the service names its errors: `code`, `type`, `reason`, `status`. */
  readonly code?: RegExp
  /** A pattern for its error text, without addresses of its pages. */
  readonly words?: RegExp
  /** Whether the error has a retry delay. */
  readonly waits?: boolean
  /** Retrying soon does not help, whatever the service claims. */
  readonly lasting?: true
}

/** An error as the judge sees it. */
export interface JudgedError {
  readonly status: number
  readonly codes: readonly string[]
  /** The whole error text of the service. */
  readonly text: string
  readonly wait: number | undefined
}

/** Addresses lead to pages about billing and limits from errors of all kinds. */
const ADDRESS = /\bhttps?:\/\/[^\s"'<>)\]]+/gi

const FULL_CONTEXT = [
  'context_length_exceeded|exceed_context_size|model_max_prompt_tokens_exceeded',
  'context (length|size|window|limit)|prompt is too long|prompt length|prompt exceeds|prompt token count',
  'input is too long|(range of )?input length|input tokens exceed|input token count .{0,40}exceeds',
  'maximum (context|input) length|maximum number of tokens allowed|exceeded model token limit|max_new_tokens',
  'decoder prompt|`inputs` must have less than|request too large',
]
const TOO_MANY_BYTES = [
  'request_too_large|payload_too_large|(request )?(payload|entity|body)( size)? (too large|exceeds)',
]
/** Of Anthropic, OpenAI, Gemini, Bedrock, OpenRouter, Groq, DeepSeek, vLLM, Ollama and llama.cpp. */
const REFUSED_PICTURE = [
  'image exceeds \\d|image dimensions exceed|(could not|unable to) process (input )?image|unsupported image|invalid image',
  'image_(too_large|too_small|parse_error|file_too_large)|(invalid|empty|unsupported)_(base64_)?image|unsupported_image_media_type',
  '(image|vision|multimodal) (input|modality|content)s?\\b.{0,40}\\b(not|un)[ -]?(supported|enabled|available)',
  "(doesn't|does not|don't|cannot) (support|accept|read|process) (the )?(image|vision|multimodal)|is not a multimodal model",
  'no endpoints found that support image|unknown variant `image_url`|at most \\d+ image|data required for image input',
]
const UNPAID = [
  'insufficient[_ ](quota|balance|credits?|funds)|not[_ ]enough[_ ]balance|credit[_ ]balance|exceeded your current quota',
  'billing_(error|not_active|hard_limit)|billing (details|hard limit)|plans & billing|arrearage|in arrears|overdue|please recharge',
  "(doesn't|does not|don't) have any credits|monthly included credits|spending limit|specified api usage limits",
  'account\\b.{0,60}\\bsuspended|more credits, or fewer',
]
const NO_MODEL = [
  'model_not_found|invalid[_ ]model\\b|unknown model|valid model id|deploymentnotfound|deployment .{0,40}does not exist',
  'no endpoints found|function .{0,80}not found for account|please check the model code',
  '\\bmodel\\b.{0,80}\\b(not found|not exist|not supported)',
  // Retired: Groq (model_decommissioned), OpenAI (deprecated), Gemini and Azure (no longer available), Bedrock (end of its life).
  'model_(decommissioned|deprecated|retired)|(model|deployment)deprecated',
  '\\bmodel\\b.{0,80}\\b(decommissioned|deprecated|retired|no longer (available|supported|served)|end of (its )?life)',
]
const HELD_BACK = [
  'content_filter|content_policy|responsibleaipolicyviolation|datainspectionfailed|requires moderation|input was flagged',
  'content management policy|content filtering policy|usage polic(y|ies)|considered high risk|unsafe or sensitive content',
]

/** Words weigh more than the status: servers disagree on the status of a spent quota or a full context. */
const COMMON: readonly ErrorRule[] = [
  { words: either(REFUSED_PICTURE), status: [400, 404, 413, 415, 422, 500], kind: 'picture-refused' },
  { code: either(REFUSED_PICTURE), kind: 'picture-refused' },
  { words: either(FULL_CONTEXT), kind: 'context-overflow' },
  { code: either(FULL_CONTEXT), kind: 'context-overflow' },
  { words: either(TOO_MANY_BYTES), kind: 'payload-too-large' },
  { code: either(TOO_MANY_BYTES), kind: 'payload-too-large' },
  { words: /\b(incorrect|invalid|wrong) api[ _]key\b/i, kind: 'auth' },
  { code: /insufficient_quota/i, kind: 'billing' },
  // Texts of such limits end in what a better plan would cost.
  { code: /^(rate_limit_exceeded|rate_limit_error|rate_limit)$/i, kind: 'rate-limit' },
  { words: either(UNPAID), kind: 'billing' },
  { code: either(UNPAID), kind: 'billing' },
  { code: either(HELD_BACK), kind: 'filtered' },
  { words: either(HELD_BACK), kind: 'filtered' },
  { words: either(NO_MODEL), kind: 'model-not-found' },
  { code: either(NO_MODEL), kind: 'model-not-found' },
  { words: /\b(currently|is|are) overloaded\b/i, status: [429, 500, 502], kind: 'overloaded' },
  { code: /overloaded/i, kind: 'overloaded' },
  {
    words: /tokens per day|per day limit|requests per day/i,
    status: [429],
    waits: false,
    kind: 'rate-limit',
    lasting: true,
  },
  // What is forbidden may be the country, the organisation, what was asked, or the caller.
  { words: /country|region\b|territory|has not been used in project|it is disabled/i, status: [403], kind: 'invalid' },
  {
    words: /^\s*$|\bkey\b|token|credential|\bauth|permission|access|forbidden|denied|account|log ?in|sign/i,
    status: [403],
    kind: 'auth',
  },
]

/** Statuses as the services, their imitators and the proxies before them use them. */
const KIND_OF_STATUS: Readonly<Record<number, ModelFailure['kind']>> = {
  401: 'auth',
  402: 'billing',
  404: 'model-not-found',
  408: 'timeout',
  410: 'model-not-found',
  413: 'payload-too-large',
  429: 'rate-limit',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
}

/** Classifies an error: by the table of the service, by common error texts, by its status. */
export function judgeError(
  error: JudgedError,
  own: readonly ErrorRule[] = [],
): { readonly kind: ModelFailure['kind']; readonly lasting?: true } {
  const { status } = error
  const text = error.text.replace(ADDRESS, '')
  const rule = [...own, ...COMMON].find((each) => fits(each, { ...error, text }))
  return rule ?? { kind: KIND_OF_STATUS[status] ?? (status >= 500 ? 'server' : 'invalid') }
}

function fits(rule: ErrorRule, { status, codes, text, wait }: JudgedError): boolean {
  return (
    rule.status?.includes(status) !== false &&
    (rule.code === undefined || codes.some((code) => rule.code?.test(code))) &&
    rule.words?.test(text) !== false &&
    (rule.waits === undefined || rule.waits === (wait !== undefined))
  )
}

function either(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join('|'), 'i')
}
