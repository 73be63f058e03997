import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-openai/assemble.ts'
import { ResponsesAnswer } from '../../../../plugins/providers/provider-openai/responses-assemble.ts'
import { collectFailure } from '../../../support/ask-model.ts'
import { collectMeanings, type Meaning, meaningOfWhole, recordedIn, wholeIn } from '../../../support/recorded.ts'
import { sse } from '../../../support/replay.ts'
import { startSseService } from '../../../support/sse-service.ts'
import { open, provider } from './ask.ts'

const begins = (event: object) => 'type' in event && event.type === 'response.created'
const responses = new Map([
  ...recordedIn('recorded-openai/src/responses/__fixtures__', begins),
  ...recordedIn('recorded-xai/src/responses/__fixtures__', begins),
])
const chats = new Map([
  ...recordedIn('recorded-openai/src/chat/__fixtures__', () => false),
  ...recordedIn('recorded-deepseek/src/chat/__fixtures__', () => false),
])
/** It ends with an error, which has its own test. */
const FAILED = 'openai-error.1 1'

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ['openai-apply-patch-tool-delete.1 1']: {
    usage: { input: 24, output: 0, cachedInput: 0, reasoning: 0 },
    end: 'stop',
  },
  ['openai-apply-patch-tool.1 1']: { usage: { input: 642, output: 67, cachedInput: 0, reasoning: 0 }, end: 'stop' },
  ['openai-code-interpreter-tool.1 1']: {
    text: '596 e63f8a3fd5c5',
    usage: { input: 6047, output: 1623, cachedInput: 2944, reasoning: 1408 },
    end: 'stop',
  },
  ['openai-file-search-tool.1 1']: {
    text: '383 a39952f12b73',
    usage: { input: 3737, output: 621, cachedInput: 2304, reasoning: 512 },
    end: 'stop',
  },
  ['openai-file-search-tool.2 1']: {
    text: '380 79e346662018',
    usage: { input: 3748, output: 543, cachedInput: 2304, reasoning: 448 },
    end: 'stop',
  },
  ['openai-image-generation-tool.1 1']: {
    images: 1,
    usage: { input: 2941, output: 1249, cachedInput: 1920, reasoning: 1024 },
    end: 'stop',
  },
  ['openai-local-shell-tool.1 1']: { usage: { input: 407, output: 151, cachedInput: 0, reasoning: 128 }, end: 'stop' },
  ['openai-mcp-tool-approval.1 1']: { usage: { input: 422, output: 48, cachedInput: 0, reasoning: 0 }, end: 'stop' },
  ['openai-mcp-tool-approval.2 1']: {
    text: '470 c1c7ca998bc4',
    usage: { input: 553, output: 371, cachedInput: 0, reasoning: 256 },
    end: 'stop',
  },
  ['openai-mcp-tool-approval.3 1']: { usage: { input: 609, output: 48, cachedInput: 0, reasoning: 0 }, end: 'stop' },
  ['openai-mcp-tool-approval.4 1']: {
    text: '221 f05900fd58fe',
    usage: { input: 779, output: 69, cachedInput: 0, reasoning: 0 },
    end: 'stop',
  },
  ['openai-mcp-tool.1 1']: {
    text: '1264 bd82c739d2a9',
    usage: { input: 11791, output: 963, cachedInput: 0, reasoning: 512 },
    end: 'stop',
  },
  ['openai-reasoning-encrypted-content.1 1']: {
    thoughts: '163 e8c4cd892aec',
    calls: [['call_AB6AaRZ1FYZB2RwS6A5vbdqn', 'calculator', { a: 12, b: 7, op: 'add' }]],
    usage: { input: 134, output: 28, cachedInput: 0, reasoning: 0 },
    end: 'tool-calls',
    carry: 'reasoning call',
  },
  ['openai-reasoning-encrypted-content.1 2']: {
    calls: [['call_Q6pW65MUgW9vF59BmItYGos3', 'calculator', { a: 19, b: 3, op: 'multiply' }]],
    usage: { input: 221, output: 26, cachedInput: 0, reasoning: 0 },
    end: 'tool-calls',
  },
  ['openai-reasoning-encrypted-content.1 3']: {
    calls: [['call_Zl5vIMnD7dVAjgU6FkhmiCZh', 'calculator', { a: 57, b: 10, op: 'multiply' }]],
    usage: { input: 260, output: 26, cachedInput: 0, reasoning: 0 },
    end: 'tool-calls',
  },
  ['openai-reasoning-encrypted-content.1 4']: {
    text: '28 f0bb39f8205b',
    usage: { input: 299, output: 12, cachedInput: 0, reasoning: 0 },
    end: 'stop',
  },
  ['openai-shell-tool.1 1']: { usage: { input: 145, output: 41, cachedInput: 0, reasoning: 0 }, end: 'stop' },
  ['openai-shell-tool.1 2']: {
    text: '426 a1565f2607db',
    usage: { input: 331, output: 166, cachedInput: 0, reasoning: 0 },
    end: 'stop',
  },
  ['openai-web-search-tool.1 1']: {
    text: '3645 d24e6afa4689',
    usage: { input: 31073, output: 4416, cachedInput: 3712, reasoning: 3712 },
    end: 'stop',
  },
  ['xai-text-streaming.1 1']: {
    text: '3068 895b5bf7b0ca',
    thoughts: '569 78d68106000a',
    usage: { input: 216, output: 863, cachedInput: 192, reasoning: 237 },
    end: 'stop',
  },
  ['xai-text-with-reasoning-streaming-store-false.1 1']: {
    text: '2786 5d8c257390c6',
    thoughts: '754 9a3bf7461267',
    usage: { input: 216, output: 831, cachedInput: 192, reasoning: 253 },
    end: 'stop',
    carry: 'reasoning text',
  },
  ['xai-text-with-reasoning-streaming.1 1']: {
    text: '2849 2a7a28eb233e',
    thoughts: '766 88bee32a92a8',
    usage: { input: 216, output: 923, cachedInput: 192, reasoning: 323 },
    end: 'stop',
  },
  ['xai-web-search-tool.1 1']: {
    text: '1228 aaedcde3798b',
    usage: { input: 1875, output: 695, cachedInput: 1578, reasoning: 397 },
    end: 'stop',
  },
  ['xai-x-search-tool 1']: {
    text: '6304 14a6dbdf5ddd',
    usage: { input: 27236, output: 3077, cachedInput: 4585, reasoning: 1091 },
    end: 'stop',
  },
  ['azure-model-router.1 1']: {
    text: '19 53f836c9fbda',
    usage: { input: 15, output: 78, cachedInput: 0, reasoning: 64 },
    end: 'stop',
  },
  ['deepseek-reasoning 1']: {
    text: '42 238e36f474e5',
    thoughts: '606 01a5d04ca7e8',
    usage: { input: 18, output: 219, cachedInput: 0, reasoning: 205 },
    end: 'stop',
  },
  ['deepseek-text 1']: { text: '1855 2293daa9001b', usage: { input: 13, output: 400, cachedInput: 0 }, end: 'length' },
  ['deepseek-tool-call 1']: {
    thoughts: '191 e9e5190a993c',
    calls: [['call_00_ioIn7yN9p1ZOMNpDLwd4MgAF', 'weather', { location: 'San Francisco' }]],
    usage: { input: 339, output: 83, cachedInput: 320, reasoning: 39 },
    end: 'tool-calls',
  },
}
const WHOLE: Readonly<Record<string, Meaning>> = {
  ['openai-apply-patch-tool.1.json']: { usage: { input: 642, output: 67, cachedInput: 0, reasoning: 0 }, end: 'stop' },
  ['openai-code-interpreter-tool.1.json']: {
    text: '461 b3269ffb6142',
    usage: { input: 2283, output: 1928, cachedInput: 0, reasoning: 1792 },
    end: 'stop',
  },
  ['openai-file-search-tool.1.json']: {
    text: '439 ac72500b1668',
    usage: { input: 3700, output: 741, cachedInput: 2560, reasoning: 640 },
    end: 'stop',
  },
  ['openai-file-search-tool.2.json']: {
    text: '351 044fdf212de8',
    usage: { input: 3678, output: 536, cachedInput: 2304, reasoning: 448 },
    end: 'stop',
  },
  ['openai-image-generation-tool.1.json']: {
    usage: { input: 3151, output: 1970, cachedInput: 0, reasoning: 1920 },
    end: 'stop',
    images: 1,
  },
  ['openai-local-shell-tool.1.json']: { usage: { input: 407, output: 24, cachedInput: 0, reasoning: 0 }, end: 'stop' },
  ['openai-mcp-tool-approval.1.json']: {
    usage: { input: 422, output: 104, cachedInput: 0, reasoning: 64 },
    end: 'stop',
  },
  ['openai-mcp-tool-approval.2.json']: {
    text: '409 77c4abc5d263',
    usage: { input: 592, output: 421, cachedInput: 0, reasoning: 320 },
    end: 'stop',
  },
  ['openai-mcp-tool-approval.3.json']: {
    usage: { input: 587, output: 104, cachedInput: 0, reasoning: 64 },
    end: 'stop',
  },
  ['openai-mcp-tool-approval.4.json']: {
    text: '260 e7ba43a0537c',
    usage: { input: 765, output: 74, cachedInput: 0, reasoning: 0 },
    end: 'stop',
  },
  ['openai-mcp-tool.1.json']: {
    text: '1180 bc90af9a13fb',
    usage: { input: 6700, output: 1078, cachedInput: 0, reasoning: 704 },
    end: 'stop',
  },
  ['openai-reasoning-encrypted-content.1.json']: {
    text: '56 e60f32941df6',
    thoughts: '399 1fd85f889116',
    usage: { input: 865, output: 163, cachedInput: 0, reasoning: 128 },
    end: 'stop',
    carry: 'reasoning text',
  },
  ['openai-shell-tool.1.json']: { usage: { input: 157, output: 73, cachedInput: 0, reasoning: 0 }, end: 'stop' },
  ['openai-web-search-tool.1.json']: {
    text: '3042 68be198c2308',
    usage: { input: 19681, output: 3773, cachedInput: 3712, reasoning: 3136 },
    end: 'stop',
  },
  ['xai-code-execution-tool.1.json']: {
    text: '2 02d20bbd7e39',
    usage: { input: 1606, output: 292, cachedInput: 1235, reasoning: 190 },
    end: 'stop',
  },
  ['xai-web-search-tool.1.json']: {
    text: '799 89bfebb41668',
    usage: { input: 1941, output: 583, cachedInput: 947, reasoning: 380 },
    end: 'stop',
  },
  ['xai-x-search-tool.1.json']: {
    text: '5180 a393eb79f5e3',
    usage: { input: 8397, output: 1805, cachedInput: 608, reasoning: 580 },
    end: 'stop',
  },
  ['deepseek-json.json']: {
    text: '78 ab105345f96a',
    thoughts: '558 77de7a46885a',
    usage: { input: 495, output: 144, cachedInput: 320, reasoning: 118 },
    end: 'stop',
  },
  ['deepseek-reasoning.json']: {
    text: '107 30d7e2a8ff04',
    thoughts: '935 5d222a8c19bc',
    usage: { input: 18, output: 345, cachedInput: 0, reasoning: 315 },
    end: 'stop',
  },
  ['deepseek-text.json']: {
    text: '1375 98a13b04aa9e',
    usage: { input: 13, output: 300, cachedInput: 0 },
    end: 'length',
  },
  ['deepseek-tool-call.json']: {
    thoughts: '242 d5434badc4da',
    calls: [['call_00_9V0vrf86Pc9aelHCJMZqnJBo', 'weather', { location: 'San Francisco' }]],
    usage: { input: 339, output: 92, cachedInput: 320, reasoning: 48 },
    end: 'tool-calls',
  },
}

test('every answer that was recorded from OpenAI, Azure, xAI and DeepSeek has its meaning here', () => {
  expect([...responses.keys(), ...chats.keys()].sort()).toEqual([...Object.keys(MEANINGS), FAILED].sort())
})

test.for([...responses].filter(([name]) => name !== FAILED))(
  '%s, recorded by the Responses wire, is read alike however it is cut',
  ([name, events]) => {
    const answer = () => new ResponsesAnswer('m', { id: 'openai' }, () => 'new')
    for (const [way, meaning] of collectMeanings(sse(events, { named: true }), answer))
      expect(meaning, way).toEqual(MEANINGS[name])
  },
)

test.for([...chats])('%s, recorded by the chat wire, is read alike however it is cut', ([name, events]) => {
  const answer = () => new Answer(() => 'new', { id: 'openai' })
  for (const [way, meaning] of collectMeanings(sse(events, { last: '[DONE]' }), answer))
    expect(meaning, way).toEqual(MEANINGS[name])
})

test.for(
  [
    ...wholeIn('recorded-openai/src/responses/__fixtures__'),
    ...wholeIn('recorded-xai/src/responses/__fixtures__'),
  ].filter(([file]) => !file.includes('error')),
)('%s, a whole response, is read', ([file, body]) => {
  const answer = new ResponsesAnswer('m', { id: 'openai' }, () => 'new')
  expect(meaningOfWhole(body, answer)).toEqual(WHOLE[file])
})

test.for([...wholeIn('recorded-deepseek/src/chat/__fixtures__')])('%s, a whole completion, is read', ([file, body]) => {
  expect(meaningOfWhole(body, new Answer(() => 'new', { id: 'deepseek' }))).toEqual(WHOLE[file])
})

test('the spent quota that OpenAI told in a recorded stream is told as one', async () => {
  const server = await startSseService(() => ({ events: sse(responses.get(FAILED) ?? [], { named: true }) }))
  const config = { providers: { openai: { base_url: server.url, api_mode: 'responses' } } }
  const kernel = await open({ env: { OPENAI_API_KEY: 'openai-key' }, config })
  const failure = await collectFailure(provider(kernel, 'openai'))
  await server.close()
  expect(failure).toMatchObject({ kind: 'billing', code: 'insufficient_quota', retryable: false })
  expect(failure.message).toContain('You exceeded your current quota')
})
