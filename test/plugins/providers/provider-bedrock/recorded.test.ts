import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-bedrock/assemble.ts'
import { frameReader } from '../../../../plugins/providers/provider-bedrock/frames.ts'
import { frame } from '../../../support/bedrock-server.ts'
import { collectMeanings, type Meaning, recordedIn } from '../../../support/recorded.ts'

const recorded = recordedIn('recorded-bedrock/src/__fixtures__', () => false)

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ['bedrock-json-only-text-first.1 1']: {
    text: '18 a2be3cf7b8c4',
    calls: [['json-tool-1', 'json', { name: 'John' }]],
    usage: { input: 100, output: 20 },
    end: 'tool-calls',
  },
  ['bedrock-json-other-tool.1 1']: {
    calls: [['toolu_01PQjhxo3eirCdKNvCJrKc8f', 'get-weather', { location: 'San Francisco' }]],
    usage: { input: 843, output: 28 },
    end: 'tool-calls',
  },
  ['bedrock-json-tool-text-then-weather-then-json.1 1']: {
    text: '53 4996b32e6c65',
    calls: [
      ['weather-tool-1', 'weather', { location: 'San Francisco' }],
      ['weather-tool-2', 'weather', { location: 'London' }],
    ],
    usage: { input: 500, output: 100 },
    end: 'tool-calls',
  },
  ['bedrock-json-tool.1 1']: { calls: [['json-tool-id', 'json', { value: 'test' }]], end: 'tool-calls' },
  ['bedrock-json-tool.2 1']: {
    text: '34 afaa11f28ff0',
    calls: [['json-tool-id', 'json', { value: 'test' }]],
    end: 'tool-calls',
  },
  ['bedrock-json-tool.3 1']: {
    text: '47 2a4e92a8e5c1',
    calls: [['json-tool-id', 'json', { result: 42 }]],
    end: 'tool-calls',
  },
  ['bedrock-json-with-tool.1 1']: {
    text: '30 3e3b31a9951c',
    calls: [
      ['tool-1', 'get-weather', { location: 'SF' }],
      ['json-tool-id', 'json', { result: 'data' }],
    ],
    end: 'tool-calls',
  },
  ['bedrock-json-with-tools.1 1']: {
    text: '26 15e1573c403f',
    calls: [
      ['tool-1', 'tool-a', { a: '1' }],
      ['tool-2', 'tool-b', { b: '2' }],
      ['json-tool-id', 'json', { final: 'result' }],
    ],
    end: 'tool-calls',
  },
  ['bedrock-tool-call.1 1']: {
    calls: [['tool-use-id', 'test-tool', { value: 'Sparkle Day' }]],
    usage: { input: 125, output: 45 },
    end: 'tool-calls',
  },
  ['bedrock-tool-no-args 1']: {
    text: '35 54fc8410f77c',
    calls: [['tool-use-id', 'updateIssueList', {}]],
    usage: { input: 100, output: 25 },
    end: 'tool-calls',
  },
}

/** The recordings hold the payloads; the frames around them are put back. */
function createFrames(events: readonly object[]): Buffer {
  const payloads = events.flatMap((event) => Object.entries(event))
  const framed = payloads.map(([type, payload]) =>
    frame({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, payload),
  )
  return Buffer.concat(framed)
}

test('every answer that was recorded from Bedrock has its meaning here', () => {
  expect([...recorded.keys()].sort()).toEqual(Object.keys(MEANINGS).sort())
})

test.for([...recorded])('%s, recorded from Bedrock, is read alike however it is cut', ([name, events]) => {
  const answer = () => new Answer({ provider: 'bedrock', model: 'm', newId: () => 'new' })
  for (const [way, meaning] of collectMeanings(createFrames(events), answer, frameReader))
    expect(meaning, way).toEqual(MEANINGS[name])
})
