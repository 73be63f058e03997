import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-anthropic/assemble.ts'
import { collectMeanings, type Meaning, recordedIn } from '../../../support/recorded.ts'
import { sse } from '../../../support/replay.ts'

const recorded = recordedIn('recorded-anthropic/src/__fixtures__', (event) => 'message' in event)

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ['anthropic-code-execution-20250825.1 1']: {
    text: '795 7b49d61166e9',
    usage: { input: 8050, output: 771, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-code-execution-20250825.2 1']: {
    text: '1793 ce2530971a55',
    usage: { input: 15696, output: 2479, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-code-execution-20250825.pptx-skill 1']: {
    text: '2870 10e0b2b86c23',
    usage: { input: 320032, output: 5558, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-json-other-tool.1 1']: {
    calls: [['toolu_019Zvehfe1XQWweT1pm7okyt', 'weather', { location: 'San Francisco' }]],
    usage: { input: 843, output: 28, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-json-output-format.1 1']: {
    text: '1267 0796715649bb',
    usage: { input: 313, output: 305, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-json-tool.1 1']: {
    calls: [['toolu_01KFbKqPYSuAKujiL6mTfzYA', 'json', '80 797099424988']],
    usage: { input: 849, output: 47, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-json-tool.2 1']: {
    text: '35 e2c228e16d08',
    calls: [['toolu_01KFbKqPYSuAKujiL6mTfzYA', 'json', '80 797099424988']],
    usage: { input: 849, output: 47, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-mcp.1 1']: {
    text: '112 8cfb90f42d9f',
    usage: { input: 1250, output: 83, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-message-delta-input-tokens 1']: { text: '4 9795c5ff8937', usage: { input: 61, output: 2 }, end: 'stop' },
  ['anthropic-programmatic-tool-calling.1 1']: {
    text: '157 b2cc643922cf',
    calls: [['toolu_019jKkXz4jAdwHweHBw92CVY', 'rollDie', { player: 'player1' }]],
    usage: { input: 3369, output: 725, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 2']: {
    calls: [['toolu_015dGLMbwBKv1ZRQr6KdJzeH', 'rollDie', { player: 'player2' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 3']: {
    calls: [['toolu_01YYqBNq5mk1wMtv3PAqY44m', 'rollDie', { player: 'player1' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 4']: {
    calls: [['toolu_018WxjDkQG8h7i63poySGT2x', 'rollDie', { player: 'player2' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 5']: {
    calls: [['toolu_014ch4D3vbx928ddwxMvMvF1', 'rollDie', { player: 'player1' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 6']: {
    calls: [['toolu_01QtZ46GWS93Z5ZaSifgGNnq', 'rollDie', { player: 'player2' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 7']: {
    calls: [['toolu_012Zvp8FdgvjVGkmbHSU4EZk', 'rollDie', { player: 'player1' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 8']: {
    calls: [['toolu_01CMz8Jhv6EfnzHQzEMdpHut', 'rollDie', { player: 'player2' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 9']: {
    calls: [['toolu_01PfH6ADzq8Yct5jeRY9QkS2', 'rollDie', { player: 'player1' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 10']: {
    calls: [['toolu_013DE3qaKvBMheZXUhwkvpdF', 'rollDie', { player: 'player2' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 11']: {
    calls: [['toolu_01MTRMy9BEvFHWR7hpCWc4nJ', 'rollDie', { player: 'player1' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 12']: {
    calls: [['toolu_01CXqv27ozPihE5nj6eA3Joc', 'rollDie', { player: 'player2' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 13']: {
    calls: [['toolu_01K6ST6orjmPHHwM8rwLj1n9', 'rollDie', { player: 'player1' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 14']: {
    calls: [['toolu_01QcWWQcQ1pd7nx9xohX4zAr', 'rollDie', { player: 'player2' }]],
    usage: { input: 0, output: 0 },
    end: 'tool-calls',
  },
  ['anthropic-programmatic-tool-calling.1 15']: {
    text: '676 69dca3413cd0',
    usage: { input: 4551, output: 197, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-tool-no-args 1']: {
    text: '35 54fc8410f77c',
    calls: [['toolu_01QE1WLsSVp5hy5Q3GmGTmjP', 'updateIssueList', {}]],
    usage: { input: 565, output: 48, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-tool-search-bm25.1 1']: {
    text: '177 c7b4b8cce750',
    calls: [['toolu_019nRrfqqXcU5NPTUSYfEMAY', 'get_weather', { location: 'San Francisco, CA' }]],
    usage: { input: 1630, output: 158, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-tool-search-bm25.1 2']: {
    text: '119 768c68a0d346',
    usage: { input: 1040, output: 41, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-tool-search-deferred-bm25 1']: {
    text: '156 a6ac2d9d6593',
    calls: [['toolu_01U8pzAHj2vNdPCA2Kf8JjeN', 'readNoteTree', { noteId: 'd10aa585-982b-4bd9-984e-420f9b3717f7' }]],
    usage: { input: 879, output: 177, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-tool-search-deferred-bm25 2']: {
    text: '225 94c7994fd02d',
    calls: [['toolu_01QoRrvXNv6w4vZSyo9cnxP2', 'executeEditorOperation', '156 304167e1c2c2']],
    usage: { input: 1398, output: 213, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-tool-search-deferred-bm25 3']: {
    text: '353 2ea02c336631',
    usage: { input: 1639, output: 95, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-tool-search-deferred-regex 1']: {
    text: '156 5ef4aa0b9595',
    calls: [['toolu_01WPkY6CkyJnFsaCqY7SZ9FX', 'readNoteTree', { noteId: 'd10aa585-982b-4bd9-984e-420f9b3717f7' }]],
    usage: { input: 904, output: 175, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-tool-search-deferred-regex 2']: {
    text: '223 ce4653b99d06',
    calls: [['toolu_01UFHf8D27JBYu9FmrcjJk1p', 'executeEditorOperation', '152 65d125b72920']],
    usage: { input: 1519, output: 211, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-tool-search-deferred-regex 3']: {
    text: '425 fad8309e0b0e',
    usage: { input: 1758, output: 118, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-tool-search-regex.1 1']: {
    text: '85 4af5099f6fbb',
    calls: [['toolu_01UmPwkecewaEpMupy2ywk8b', 'get_temp_data', { location: 'San Francisco, CA' }]],
    usage: { input: 1681, output: 163, cachedInput: 0, cacheWriteInput: 0 },
    end: 'tool-calls',
  },
  ['anthropic-tool-search-regex.1 2']: {
    text: '239 4ad617005e55',
    usage: { input: 1071, output: 67, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-web-fetch-tool.1 1']: {
    text: '1664 4b3e7ab8fa3e',
    usage: { input: 4230, output: 446, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
  ['anthropic-web-search-tool.1 1']: {
    text: '2402 2c86b5f34a53',
    usage: { input: 15665, output: 795, cachedInput: 0, cacheWriteInput: 0 },
    end: 'stop',
  },
}

test('every answer that was recorded from Anthropic has its meaning here', () => {
  expect([...recorded.keys()].sort()).toEqual(Object.keys(MEANINGS).sort())
})

test.for([...recorded])('%s, recorded from Anthropic, is read alike however it is cut', ([name, events]) => {
  const answer = () => new Answer({ provider: 'anthropic', model: 'claude-sonnet-4-5', newId: () => 'new' })
  for (const [way, meaning] of collectMeanings(sse(events, { named: true }), answer))
    expect(meaning, way).toEqual(MEANINGS[name])
})
