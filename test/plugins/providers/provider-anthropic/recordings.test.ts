import { providerContract } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-anthropic/assemble.ts'
import { listCuts, replay, sse } from '../../../support/replay.ts'
import { startSseService } from '../../../support/sse-service.ts'
import { at } from './ask.ts'
import { recordings } from './recordings/messages.ts'

describe.for(['\n', '\r\n'] as const)('a stream of the Messages API with lines that end in %j', (eol) => {
  test.for(recordings.map((each) => [each.name, each] as const))('%s is read alike however it is cut', ([, each]) => {
    for (const [way, pieces] of listCuts(sse(each.events, { named: true, eol }))) {
      const answer = new Answer({ provider: 'anthropic', model: 'claude-sonnet-4-5', newId: () => 'new' })
      const events = replay(pieces, answer)
      expect(answer.error, way).toEqual(each.error)
      if (each.expected) expect(events, way).toEqual(each.expected)
    }
  })
})

/** The one with everything in it, and the one that breaks off. */
const extremes = [recordings.slice(1, 2), recordings.slice(-1)].flat()

describe.for(extremes.map((each) => [each.name, each] as const))('behind a Messages API that sends %s', ([, each]) => {
  const cases = providerContract(async () => {
    const server = await startSseService(() => ({ events: sse(each.events, { named: true, eol: '\r\n' }) }))
    return { provider: await at(server.url), close: () => server.close() }
  })
  test.for(cases)('$name', ({ run }) => run())
})
