import { providerContract } from 'svc/sdk/testing'
import { describe, test } from 'vitest'
import type { FullReply } from '../../support/model-replies.ts'
import { startModelServer } from '../../support/model-server.ts'
import { open, provider } from './ask.ts'

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
  'limits how often': { fault: { status: 429, headers: { 'retry-after': '1' } } },
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
