import { providerContract } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-openai/assemble.ts'
import { ResponsesAnswer } from '../../../../plugins/providers/provider-openai/responses-assemble.ts'
import { listCuts, type Recording, replay, sse } from '../../../support/replay.ts'
import { startSseService } from '../../../support/sse-service.ts'
import { open, provider } from './ask.ts'
import { recordings as chats } from './recordings/chat.ts'
import { recordings as responses } from './recordings/responses.ts'

describe.for(['\n', '\r\n'] as const)('a stream of OpenAI with lines that end in %j', (eol) => {
  test.for(chats.map((each) => [each.name, each] as const))(
    '%s, by chat, is read alike however it is cut',
    ([, each]) => {
      for (const [way, pieces] of listCuts(sse(each.events, { last: '[DONE]', eol }))) {
        const answer = new Answer(() => 'new', { id: 'openai' })
        const events = replay(pieces, answer)
        expect(answer.error, way).toEqual(each.error)
        if (each.expected) expect(events, way).toEqual(each.expected)
      }
    },
  )

  test.for(responses.map((each) => [each.name, each] as const))(
    '%s, by Responses, is read alike however it is cut',
    ([, each]) => {
      for (const [way, pieces] of listCuts(sse(each.events, { named: true, eol }))) {
        const answer = new ResponsesAnswer('gpt-5', { id: 'openai' }, () => 'new')
        const events = replay(pieces, answer)
        expect(answer.error, way).toEqual(each.error)
        if (each.expected) expect(events, way).toEqual(each.expected)
      }
    },
  )
})

/** The one with everything in it, and the one that breaks off. */
const extremes = (recordings: readonly Recording[]) => [recordings.slice(1, 2), recordings.slice(-1)].flat()
const all = [
  ...extremes(chats).map((each) => ['chat_completions', each.name, each, { last: '[DONE]' }] as const),
  ...extremes(responses).map((each) => ['responses', each.name, each, { named: true }] as const),
]

describe.for(all)('by %s, behind a service that sends %s', ([api_mode, , each, form]) => {
  const cases = providerContract(async () => {
    const server = await startSseService(() => ({ events: sse(each.events, { ...form, eol: '\r\n' }) }))
    const config = { providers: { openai: { base_url: server.url, api_mode } } }
    const kernel = await open({ env: { OPENAI_API_KEY: 'openai-key' }, config })
    return { provider: provider(kernel, 'openai'), close: () => server.close() }
  })
  test.for(cases)('$name', ({ run }) => run())
})
