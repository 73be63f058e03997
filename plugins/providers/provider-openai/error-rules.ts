/**
 * What errors mean at services whose own numbers and words say it, by the id of the service. Words that several use are
 * known to the SDK.
 */
import type { ErrorRule } from 'svc/sdk/provider'

/** OpenAI's own, which most others imitate. */
const COMMON_RULES: readonly ErrorRule[] = [
  // An item of an earlier answer that the service has not kept.
  { status: [404], words: /\bitem with id\b|previous response/i, kind: 'invalid' },
  { code: /^tool_use_failed$/, kind: 'garbled' },
]

/** https://docs.z.ai/api-reference/api-code */
const ZAI: readonly ErrorRule[] = [
  { code: /^(100[0-4]|111[0-2]|1121)$/, kind: 'auth' },
  { code: /^(1113|1309)$/, kind: 'billing' },
  { code: /^121[12]$/, kind: 'model-not-found' },
  { code: /^1261$/, kind: 'context-overflow' },
  { code: /^130[01]$/, kind: 'filtered' },
  { code: /^130[23]$/, kind: 'rate-limit' },
  { code: /^(1304|1308|1310|1313)$/, kind: 'rate-limit', lasting: true },
  { code: /^(1305|1312)$/, kind: 'overloaded' },
]

/** A limit of calls or tokens in a minute has the words of a spent quota there. */
const QWEN: readonly ErrorRule[] = [
  { code: /^(throttling|limit_requests|limit_burst_rate)/i, kind: 'rate-limit' },
  { code: /^arrearage$/i, kind: 'billing' },
  { code: /^data_?inspection_?failed$/i, kind: 'filtered' },
]

const OWN: Readonly<Record<string, readonly ErrorRule[]>> = {
  zai: ZAI,
  qwen: QWEN,
  openrouter: [
    // What the key may spend is used up, or its credit is: not the key is wrong.
    { status: [403], words: /key limit exceeded|limit exceeded/i, kind: 'billing' },
    { status: [403], words: /moderation|flagged/i, kind: 'filtered' },
  ],
  moonshot: [
    { code: /^engine_overloaded_error$/, kind: 'overloaded' },
    { code: /^exceeded_current_quota_error$/, kind: 'billing' },
    { code: /^content_filter$/, kind: 'filtered' },
  ],
  fireworks: [{ status: [412], kind: 'billing' }],
  mistral: [{ code: /^invalid_model$/, kind: 'model-not-found' }],
  xai: [{ status: [403], words: /credits|licenses/i, kind: 'billing' }],
  novita: [{ code: /^NOT_ENOUGH_BALANCE$/, kind: 'billing' }],
}

/** The table of a service. */
export function getErrorRules(id: string): readonly ErrorRule[] {
  return [...(OWN[id.replace(/-cn$/, '')] ?? []), ...COMMON_RULES]
}
