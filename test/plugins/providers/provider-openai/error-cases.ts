/** Errors of services of the chat and Responses wires, in the forms that their documents and public reports show. */
import type { ErrorCase } from '../../../support/error-cases.ts'

type More = Partial<ErrorCase> & { readonly code?: string | number | null; readonly type?: string }

/** `{"error": {"message", "type", "code"}}`. */
function openai(what: string, status: number, kind: ErrorCase['kind'], reason: string, more: More = {}): ErrorCase {
  const { code = null, type = 'invalid_request_error', ...rest } = more
  const body = JSON.stringify({ error: { message: reason, type, param: null, code } })
  return { what, status, kind, reason, body, ...rest }
}

function raw(what: string, status: number, kind: ErrorCase['kind'], body: unknown, more: More = {}): ErrorCase {
  return { what, status, kind, body: typeof body === 'string' ? body : JSON.stringify(body), ...more }
}

const limited = (model: string, end: string) =>
  `Rate limit reached for ${model} in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. ${end}`

const ofOpenai: readonly ErrorCase[] = [
  openai('wrong key', 401, 'auth', 'Incorrect API key provided: sk-proj-****xxxx.', { code: 'invalid_api_key' }),
  openai('unknown model', 404, 'model-not-found', 'The model `gpt-9` does not exist or you do not have access to it.', {
    code: 'model_not_found',
  }),
  openai(
    'spent quota',
    429,
    'billing',
    'You exceeded your current quota, please check your plan and billing details.',
    {
      code: 'insufficient_quota',
      type: 'insufficient_quota',
    },
  ),
  openai(
    'inactive account',
    429,
    'billing',
    'Your account is not active, please check your billing details on our website.',
    {
      code: 'billing_not_active',
    },
  ),
  openai('hard limit', 400, 'billing', 'Billing hard limit has been reached', { code: 'billing_hard_limit_reached' }),
  openai(
    'full context',
    400,
    'context-overflow',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
    { code: 'context_length_exceeded' },
  ),
  openai('full window', 400, 'context-overflow', 'Your input exceeds the context window of this model.', {
    code: 'context_length_exceeded',
  }),
  openai('limit with a time in words', 429, 'rate-limit', limited('gpt-4o', 'Please try again in 6s.'), {
    code: 'rate_limit_exceeded',
    type: 'tokens',
    wait: 6000,
  }),
  openai('limit with minutes in words', 429, 'rate-limit', limited('gpt-4o', 'Please try again in 9m38.016s.'), {
    code: 'rate_limit_exceeded',
    type: 'tokens',
    wait: 578_016,
  }),
  openai('limit with hours in words', 429, 'rate-limit', limited('gpt-4o', 'Please try again in 1h4m.'), {
    code: 'rate_limit_exceeded',
    type: 'tokens',
    wait: 3_840_000,
    hopeless: true,
  }),
  openai('limit in milliseconds', 429, 'rate-limit', limited('gpt-4o', 'Please try again in 280ms.'), {
    code: 'rate_limit_exceeded',
    type: 'tokens',
    wait: 280,
  }),
  openai('limit with resets', 429, 'rate-limit', limited('gpt-4o', ''), {
    code: 'rate_limit_exceeded',
    headers: {
      'x-ratelimit-remaining-requests': '99',
      'x-ratelimit-reset-requests': '6m0s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '7.66s',
    },
    wait: 7660,
  }),
  openai(
    'request over the limit',
    429,
    'context-overflow',
    'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 60000.',
    { code: 'rate_limit_exceeded', type: 'tokens' },
  ),
  openai(
    'strange picture',
    400,
    'picture-refused',
    'You uploaded an unsupported image. Please make sure it is valid.',
    {
      code: 'invalid_image_format',
    },
  ),
  openai('large picture', 400, 'picture-refused', 'The picture you sent has too many bytes.', {
    code: 'image_too_large',
  }),
  openai('picture against the policy', 400, 'filtered', 'This picture cannot be processed.', {
    code: 'image_content_policy_violation',
  }),
  openai('forbidden region', 403, 'invalid', 'Country, region, or territory not supported', {
    code: 'unsupported_country_region_territory',
  }),
  openai(
    'project without the model',
    403,
    'model-not-found',
    'Project `proj_x` does not have access to model `gpt-5`',
    {
      code: 'model_not_found',
    },
  ),
  openai(
    'missing permission',
    403,
    'auth',
    'You have insufficient permissions for this operation. Missing scopes: model.request',
  ),
  openai(
    'flagged prompt',
    400,
    'filtered',
    'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
    {
      code: 'invalid_prompt',
    },
  ),
  openai(
    'wrong schema',
    400,
    'invalid',
    "Invalid schema for function 'foo': In context=('properties', 'x'), array schema missing items.",
    {
      code: 'invalid_function_parameters',
    },
  ),
  openai('unverified organisation', 400, 'invalid', 'Your organization must be verified to stream this model.', {
    code: 'unsupported_value',
  }),
  openai(
    'lost item',
    404,
    'invalid',
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
  ),
  openai('own failure', 500, 'server', 'The server had an error while processing your request. Sorry about that!', {
    type: 'server_error',
  }),
  openai('busy model', 503, 'overloaded', 'That model is currently overloaded with other requests.', {
    type: 'server_error',
  }),
  raw('page of a proxy', 502, 'server', '<html><head><title>502 Bad Gateway</title></head></html>', {
    reason: '502 Bad Gateway',
  }),
  raw('page that blocks', 403, 'invalid', '<!DOCTYPE html><title>Attention Required! | Cloudflare</title>', {
    reason: 'Attention Required!',
  }),
]

const ofAzure: readonly ErrorCase[] = [
  openai(
    'held back prompt',
    400,
    'filtered',
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    {
      code: 'content_filter',
    },
  ),
  raw(
    'no key',
    401,
    'auth',
    { statusCode: 401, message: 'Access denied due to invalid subscription key or wrong API endpoint.' },
    {
      reason: 'Access denied due to invalid subscription key',
    },
  ),
  openai('no deployment', 404, 'model-not-found', 'The API deployment for this resource does not exist.', {
    code: 'DeploymentNotFound',
  }),
  raw(
    'no resource',
    404,
    'invalid',
    { error: { code: '404', message: 'Resource not found' } },
    { reason: 'Resource not found' },
  ),
  openai(
    'limit of the tier',
    429,
    'rate-limit',
    'Requests have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 26 seconds.',
    { code: '429', wait: 26_000 },
  ),
]

const ofGroq: readonly ErrorCase[] = [
  openai(
    'limit with an advertisement',
    429,
    'rate-limit',
    'Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_x` service tier `on_demand` on tokens per minute',
    {
      body: JSON.stringify({
        error: {
          message:
            'Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Used 11000, Requested 3000. Please try again in 10s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      }),
      headers: { 'retry-after': '1' },
      wait: 1000,
    },
  ),
  openai(
    'large request with an advertisement',
    413,
    'context-overflow',
    'Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 9874. Upgrade at https://console.groq.com/settings/billing',
    { type: 'tokens', code: 'rate_limit_exceeded' },
  ),
  raw(
    'unreadable call',
    400,
    'garbled',
    {
      error: {
        message: 'Failed to call a function.',
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        failed_generation: '<function=read>',
      },
    },
    { reason: 'Failed to call a function. It wrote: <function=read>' },
  ),
  openai('unknown model', 404, 'model-not-found', 'The model `foo` does not exist or you do not have access to it.', {
    code: 'model_not_found',
  }),
  openai('full context', 400, 'context-overflow', 'Please reduce the length of the messages or completion.', {
    code: 'context_length_exceeded',
  }),
  openai('unknown path', 404, 'invalid', 'Unknown request URL: POST /openai/v1/x', { code: 'unknown_url' }),
  openai(
    'capacity',
    503,
    'overloaded',
    'llama is currently over capacity. Please try again and back off exponentially.',
  ),
]

const ofMistral: readonly ErrorCase[] = [
  raw('no key', 401, 'auth', { detail: 'Unauthorized' }, { reason: 'Unauthorized' }),
  raw(
    'unknown model',
    400,
    'model-not-found',
    { object: 'error', message: 'Invalid model: foo', type: 'invalid_model', code: '1500' },
    {
      reason: 'Invalid model: foo',
    },
  ),
  raw(
    'full context',
    400,
    'context-overflow',
    {
      object: 'error',
      message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_error',
    },
    { reason: 'Prompt contains 40000 tokens' },
  ),
  raw(
    'capacity of the tier',
    429,
    'rate-limit',
    {
      object: 'error',
      message: 'Service tier capacity exceeded for this model.',
      type: 'service_tier_capacity_exceeded',
      code: '3505',
    },
    {
      reason: 'Service tier capacity exceeded',
    },
  ),
  raw(
    'field',
    422,
    'invalid',
    { detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required' }] },
    { reason: 'Field required' },
  ),
]

const ofXai: readonly ErrorCase[] = [
  raw(
    'no credit',
    403,
    'billing',
    {
      code: 'The caller does not have permission to execute the specified operation',
      error:
        "Your newly created team doesn't have any credits or licenses yet. You can purchase those on https://console.x.ai/team/x.",
    },
    { reason: "Your newly created team doesn't have any credits" },
  ),
  raw(
    'wrong key',
    400,
    'auth',
    { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***xx.' },
    {
      reason: 'Incorrect API key provided',
    },
  ),
  raw(
    'full context',
    400,
    'context-overflow',
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    { reason: 'maximum prompt length is 131072' },
  ),
  raw(
    'unknown model',
    404,
    'model-not-found',
    {
      code: 'Some requested entity was not found',
      error: 'The model grok-9 does not exist or your team x does not have access to it.',
    },
    {
      reason: 'The model grok-9 does not exist',
    },
  ),
]

const router = (message: string, code: number, metadata?: object) => ({
  error: { message, code, ...(metadata ? { metadata } : {}) },
})
const ofOpenrouter: readonly ErrorCase[] = [
  raw('no key', 401, 'auth', router('No auth credentials found', 401), { reason: 'No auth credentials found' }),
  raw(
    'no credit',
    402,
    'billing',
    router('Insufficient credits. Add more using https://openrouter.ai/settings/credits', 402),
    {
      reason: 'Insufficient credits.',
    },
  ),
  raw(
    'too little credit',
    402,
    'billing',
    router('This request requires more credits, or fewer max_tokens. You can only afford 1200', 402),
    {
      reason: 'This request requires more credits',
    },
  ),
  raw(
    'moderation',
    403,
    'filtered',
    router('openai/gpt-4o requires moderation on OpenInference. Your input was flagged for "violence".', 403),
    {
      reason: 'requires moderation on OpenInference',
    },
  ),
  raw('key limit', 403, 'billing', router('Key limit exceeded (total limit).', 403), { reason: 'Key limit exceeded' }),
  raw('no eyes', 404, 'picture-refused', router('No endpoints found that support image input', 404), {
    reason: 'No endpoints found that support image input',
  }),
  raw('no tools', 404, 'model-not-found', router('No endpoints found that support tool use.', 404), {
    reason: 'No endpoints found that support tool use',
  }),
  raw(
    'policy',
    404,
    'model-not-found',
    router('No endpoints found matching your data policy (Free model publication).', 404),
    {
      reason: 'No endpoints found matching your data policy',
    },
  ),
  raw('no such model', 400, 'model-not-found', router('a/b is not a valid model ID', 400), {
    reason: 'a/b is not a valid model ID',
  }),
  raw(
    'full context',
    400,
    'context-overflow',
    router("This endpoint's maximum context length is 131072 tokens.", 400),
    {
      reason: "This endpoint's maximum context length",
    },
  ),
  raw(
    'full context behind it',
    400,
    'context-overflow',
    router('Provider returned error', 400, {
      provider_name: 'Anthropic',
      raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 212847 tokens > 200000 maximum"}}',
    }),
    { reason: 'Provider returned error (Anthropic: prompt is too long: 212847 tokens > 200000 maximum)' },
  ),
  raw(
    'limit behind it',
    429,
    'rate-limit',
    router('Provider returned error', 429, {
      provider_name: 'Chutes',
      raw: 'deepseek/deepseek-r1:free is temporarily rate-limited upstream.',
    }),
    { reason: 'Provider returned error (Chutes: deepseek/deepseek-r1:free is temporarily rate-limited upstream.)' },
  ),
  raw(
    'limit of the day with its end',
    429,
    'rate-limit',
    router('Rate limit exceeded: free-models-per-day.', 429, {
      headers: {
        'X-RateLimit-Limit': '50',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': String(Date.UTC(2026, 0, 1, 12)),
      },
    }),
    { reason: 'Rate limit exceeded: free-models-per-day', wait: 12 * 3_600_000, hopeless: true },
  ),
  raw('timeout', 408, 'timeout', router('Your request timed out', 408), { reason: 'Your request timed out' }),
]

const ofOthers: Readonly<Record<string, readonly ErrorCase[]>> = {
  deepseek: [
    openai('empty purse', 402, 'billing', 'Insufficient Balance', {
      type: 'unknown_error',
      code: 'invalid_request_error',
    }),
    openai('wrong key', 401, 'auth', 'Authentication Fails, Your api key: ****xxxx is invalid', {
      type: 'authentication_error',
    }),
    openai('unknown model', 400, 'model-not-found', 'Model Not Exist'),
    openai(
      'picture for a model that sees none',
      400,
      'picture-refused',
      'Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text`',
    ),
    openai('full context', 400, 'context-overflow', "This model's maximum context length is 65536 tokens."),
  ],
  together: [
    openai('limit', 429, 'rate-limit', 'You have reached the rate limit specific to this model m.', {
      type: 'model_rate_limit',
    }),
    openai(
      'full context',
      422,
      'context-overflow',
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.',
    ),
  ],
  fireworks: [
    openai('unknown model', 404, 'model-not-found', 'Model not found, inaccessible, and/or not deployed'),
    openai(
      'full context',
      400,
      'context-overflow',
      'The prompt is too long: 140000, model maximum context length: 131071',
    ),
    openai(
      'suspended',
      412,
      'billing',
      'Account x is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.',
    ),
  ],
  moonshot: [
    openai('suspended', 429, 'billing', 'Your account org-x is suspended, please check your plan and billing details', {
      type: 'exceeded_current_quota_error',
    }),
    openai('unknown model', 404, 'model-not-found', 'Not found the model foo or Permission denied', {
      type: 'resource_not_found_error',
    }),
    openai('risk', 400, 'filtered', 'The request was rejected because it was considered high risk', {
      type: 'content_filter',
    }),
    openai('full context', 400, 'context-overflow', 'Invalid request: Your request exceeded model token limit: 131072'),
    openai('busy engine', 429, 'overloaded', 'The engine is currently overloaded, please try again later', {
      type: 'engine_overloaded_error',
    }),
    openai('limit', 429, 'rate-limit', 'Your account reached max request: 3, please try again after 1 seconds', {
      type: 'rate_limit_reached_error',
      wait: 1000,
    }),
  ],
  zai: [
    openai('empty purse', 429, 'billing', 'Insufficient balance or no resource package. Please recharge.', {
      code: '1113',
    }),
    openai('unknown model', 400, 'model-not-found', 'Unknown Model, please check the model code.', { code: '1211' }),
    openai('full context', 400, 'context-overflow', 'Prompt exceeds max length', { code: '1261' }),
    openai('concurrency', 429, 'rate-limit', 'High concurrency usage of this API, please reduce concurrency', {
      code: '1302',
    }),
    openai(
      'sensitive words',
      400,
      'filtered',
      'System detected potentially unsafe or sensitive content in input or generation.',
      { code: '1301' },
    ),
    openai('limit of the day', 429, 'rate-limit', 'You have reached your usage limit for today', {
      code: '1304',
      hopeless: true,
    }),
    openai('expired token', 401, 'auth', 'Authentication Token expired', { code: '1003' }),
  ],
  qwen: [
    openai(
      'full context',
      400,
      'context-overflow',
      '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
      { code: 'invalid_parameter_error' },
    ),
    raw(
      'arrears',
      400,
      'billing',
      { code: 'Arrearage', message: 'Access denied, please make sure your account is in good standing.' },
      {
        reason: 'please make sure your account is in good standing',
      },
    ),
    openai('inspection', 400, 'filtered', 'Input data may contain inappropriate content.', {
      code: 'data_inspection_failed',
    }),
    raw(
      'throttled',
      429,
      'rate-limit',
      { code: 'Throttling.RateQuota', message: 'Requests rate limit exceeded, please try again later.' },
      {
        reason: 'Requests rate limit exceeded',
      },
    ),
  ],
  huggingface: [
    raw(
      'month used up',
      402,
      'billing',
      { error: 'You have exceeded your monthly included credits for Inference Providers.' },
      {
        reason: 'You have exceeded your monthly included credits',
      },
    ),
    openai(
      'unknown model',
      400,
      'model-not-found',
      "The requested model 'm' is not supported by any provider you have enabled.",
      { code: 'model_not_supported' },
    ),
  ],
  nvidia: [
    raw(
      'no key',
      401,
      'auth',
      { status: 401, title: 'Unauthorized', detail: 'Authorization failed' },
      { reason: 'Authorization failed' },
    ),
    raw(
      'no function',
      404,
      'model-not-found',
      { status: 404, title: 'Not Found', detail: "Function 'abc': Not found for account 'x'" },
      {
        reason: "Function 'abc': Not found for account",
      },
    ),
    raw('wrong path', 404, 'invalid', '404 page not found', { reason: '404 page not found' }),
  ],
  deepinfra: [
    raw(
      'unknown model',
      404,
      'model-not-found',
      { detail: { error: 'Model is not available' } },
      { reason: 'Model is not available' },
    ),
  ],
  novita: [
    raw(
      'empty purse',
      403,
      'billing',
      { code: 403, reason: 'NOT_ENOUGH_BALANCE', message: 'not enough balance', metadata: {} },
      { reason: 'not enough balance' },
    ),
    raw(
      'unknown model',
      400,
      'model-not-found',
      { code: 400, reason: 'MODEL_NOT_FOUND', message: 'model not found' },
      { reason: 'model not found' },
    ),
  ],
  custom: [
    raw('picture for vLLM', 400, 'picture-refused', {
      object: 'error',
      message: 'm is not a multimodal model None',
      type: 'BadRequestError',
      code: 400,
    }),
    raw('second picture for vLLM', 400, 'picture-refused', {
      error: { message: 'At most 1 image(s) may be provided in one request.', type: 'BadRequestError', code: 400 },
    }),
    raw('picture for llama.cpp', 500, 'picture-refused', {
      error: {
        code: 500,
        message: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
        type: 'server_error',
      },
    }),
    raw('picture for Ollama', 500, 'picture-refused', {
      error: { message: 'this model is missing data required for image input', type: 'api_error' },
    }),
    raw(
      'body that nginx does not let through',
      413,
      'payload-too-large',
      '<title>413 Request Entity Too Large</title>',
    ),
    raw('full context of vLLM', 400, 'context-overflow', {
      object: 'error',
      message: "This model's maximum context length is 8192 tokens.",
      type: 'BadRequestError',
      code: 400,
    }),
    raw(
      'tools that vLLM was not started with',
      400,
      'invalid',
      {
        object: 'error',
        message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      },
      {
        reason: '"auto" tool choice requires --enable-auto-tool-choice',
      },
    ),
    raw('full context of llama.cpp', 400, 'context-overflow', {
      error: {
        code: 400,
        message: 'the request exceeds the available context size.',
        type: 'exceed_context_size_error',
      },
    }),
    openai(
      'tools that a model of Ollama has not',
      400,
      'invalid',
      'registry.ollama.ai/library/gemma:2b does not support tools',
      { type: 'api_error' },
    ),
    raw('full context of LM Studio', 400, 'context-overflow', {
      error:
        'Trying to keep the first 4096 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    }),
    raw(
      'words without a known form',
      400,
      'invalid',
      { problem: 'The kettle is off' },
      { reason: 'The kettle is off' },
    ),
  ],
}

/** By the id of the service. */
export const errorCases: Readonly<Record<string, readonly ErrorCase[]>> = {
  openai: ofOpenai,
  'azure-openai': ofAzure,
  groq: ofGroq,
  mistral: ofMistral,
  xai: ofXai,
  openrouter: ofOpenrouter,
  ...ofOthers,
}
