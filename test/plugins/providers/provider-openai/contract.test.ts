import { providerContract, wireContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import type { FullReply } from '../../../support/model-replies.ts'
import { type ModelServer, startModelServer } from '../../../support/model-server.ts'
import { wireSetup } from '../../../support/wire-setup.ts'
import { open, provider, serve } from './ask.ts'

/** What a server may do, from its best day to its worst. */
const days: Readonly<Record<string, FullReply>> = {
  'answers with everything there is': {
    reasoning: 'Hm.',
    sealed: 'sealed',
    text: ['Hel', 'lo.'],
    images: ['QUJD'],
    calls: [{ name: 't' }, { name: 't' }],
  },
  'counts no tokens': { text: 'Hello.', usage: 'none' },
  'sends byte by byte': { text: 'Hi.', fault: 'slow' },
  'cuts its answer': { deltas: 20, fault: 'cut' },
  'falls silent': { deltas: 20, fault: 'stall' },
  'sends garbage': { text: 'Hello.', fault: 'garbage' },
  'sends other JSON': { fault: 'wrong-json' },
  'sends a web page': { fault: 'html' },
  'is rate-limiting': { fault: { status: 429, headers: { 'retry-after': '1' } } },
  'falls over': { fault: { status: 500 } },
}

for (const [id, api_mode] of [
  ['groq', 'chat_completions'],
  ['openai', 'responses'],
] as const)
  describe.for(Object.entries(days))(`${id} by ${api_mode}, when the server %s`, ([what, reply]) => {
    const cases = providerContract(async () => {
      const server = await startModelServer({ replies: () => reply })
      const block = { base_url: server.url, api_mode }
      const config = { providers: { [id]: block } }
      const kernel = await open({ env: { GROQ_API_KEY: 'groq-key', OPENAI_API_KEY: 'openai-key' }, config })
      return { provider: provider(kernel, id), close: () => server.close() }
    })
    // A silent server is given up after minutes; what the contract asks of it is to stop when it is told to.
    const asked = what === 'falls silent' ? cases.filter(({ name }) => name.includes('abort')) : cases
    test.for(asked)('$name', ({ run }) => run())
  })

const chat = { usage: { prompt_tokens: 113, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 100 } } }
const responses = {
  usage: { input_tokens: 113, output_tokens: 40, input_tokens_details: { cached_tokens: 100 } },
  answer: { sealed: 'c2VhbGVk' },
  carried: 'c2VhbGVk',
}

describe.for([
  ['groq', 'chat_completions', chat],
  ['openai', 'responses', responses],
] as const)('%s by %s, as a wire', ([id, api_mode, kind]) => {
  const cases = wireContract(() =>
    wireSetup(
      { ...kind, model: 'gpt-5.2' },
      (reply) => serve({ replies: reply }),
      async ({ url }: ModelServer) => {
        const config = { providers: { [id]: { base_url: url, api_mode } } }
        return provider(await open({ env: { GROQ_API_KEY: 'groq-key', OPENAI_API_KEY: 'openai-key' }, config }), id)
      },
    ),
  )
  test.for(cases)('$name', ({ run }) => run())
})
