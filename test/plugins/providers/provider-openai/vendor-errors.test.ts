import { virtualClock } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import { collectFailure } from '../../../support/ask-model.ts'
import { type ErrorCase, expectFailure, formatTitle } from '../../../support/error-cases.ts'
import { open, provider, serve } from './ask.ts'
import { errorCases } from './error-cases.ts'

const KEYS: Readonly<Record<string, string>> = {
  'azure-openai': 'AZURE_OPENAI_API_KEY',
  moonshot: 'KIMI_API_KEY',
  zai: 'GLM_API_KEY',
  qwen: 'DASHSCOPE_API_KEY',
  huggingface: 'HF_TOKEN',
}

/** The failure of a call by one of the wires whose service answers with this error, at midnight of 2026. */
async function failed({ status, body, headers = {} }: ErrorCase, id: string, api_mode: string) {
  const server = await serve({ replies: [{ fault: { status, body, headers } }] })
  const config = { model: { base_url: server.url }, providers: { [id]: { base_url: server.url, api_mode } } }
  const env = { [KEYS[id] ?? `${id.toUpperCase()}_API_KEY`]: 'right-key' }
  const kernel = await open({ config, env, clock: virtualClock(Date.UTC(2026, 0, 1)) })
  return collectFailure(provider(kernel, id))
}

describe.for(Object.entries(errorCases))('an error of %s', ([id, cases]) => {
  test.for(cases.map((each) => [formatTitle(each), each] as const))('%s', async ([, each]) => {
    expectFailure(await failed(each, id, 'chat_completions'), each)
  })
})

describe.for(['openai', 'xai'])('an error of the Responses wire of %s', (id) => {
  test.for((errorCases[id] ?? []).map((each) => [formatTitle(each), each] as const))('%s', async ([, each]) => {
    expectFailure(await failed(each, id, 'responses'), each)
  })
})

test.for<[string, string, object, Partial<ErrorCase>]>([
  [
    'openai',
    'responses',
    { type: 'error', code: 'rate_limit_exceeded', message: 'Rate limit reached for gpt-5. Please try again in 1.2s.' },
    { kind: 'rate-limit', status: 429, wait: 1200 },
  ],
  [
    'openai',
    'responses',
    { type: 'response.failed', response: { error: { code: 'server_error', message: 'The server had an error.' } } },
    { kind: 'server', status: 500 },
  ],
  [
    'openai',
    'responses',
    {
      type: 'response.failed',
      response: {
        error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' },
      },
    },
    { kind: 'context-overflow', status: 500 },
  ],
  [
    'openrouter',
    'chat_completions',
    { error: { code: 'server_error', message: 'Provider disconnected unexpectedly' } },
    { kind: 'server', status: 500 },
  ],
  [
    'groq',
    'chat_completions',
    { error: { code: 'tool_use_failed', message: 'Failed to call a function.', failed_generation: '{"name"' } },
    { kind: 'garbled', status: 500 },
  ],
])('an error of %s in the middle of an answer by %s: %j', async ([id, api_mode, event, expected]) => {
  const body = `data: ${JSON.stringify(event)}\n\n`
  const headers = { 'content-type': 'text/event-stream' }
  const failure = await failed({ what: '', status: 200, body, headers, kind: 'unknown' }, id, api_mode)
  expectFailure(failure, { what: '', body, status: 200, kind: 'unknown', ...expected })
})
