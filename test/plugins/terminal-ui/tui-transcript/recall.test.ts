import { type Session, Sessions } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { recall } from '../../../../plugins/terminal-ui/tui-transcript/recall.ts'
import { listBlocks } from '../../../../plugins/terminal-ui/tui-transcript/state.ts'

async function session(): Promise<Session> {
  const kernel = await testKernel({ plugins: ['sessions'] })
  onTestFinished(() => kernel.stop())
  return kernel.use(Sessions).create({ surface: 'cli', cwd: kernel.home })
}

const diff = { diff: '-a\n+b' }
/** A turn as the agent records it. */
function record(stored: Session): void {
  stored.record({
    turnId: 't1',
    events: [
      { type: 'turn.start', text: 'go', provider: 'fake', model: 'm' },
      { type: 'tool.start', callId: 'c1', name: 'patch', input: { path: 'x' } },
      { type: 'tool.complete', callId: 'c1', name: 'patch', ok: true, text: 'done', data: diff },
      { type: 'usage', usage: { input: 1000, output: 10, costUsd: 0.25 } },
      { type: 'turn.end', reason: 'completed', usage: {} },
    ],
    messages: [
      { role: 'user', text: 'go', images: [{ mediaType: 'image/png', data: 'AAAA' }] },
      { role: 'assistant', text: '', reasoning: 'hm', toolCalls: [{ id: 'c1', name: 'patch', input: { path: 'x' } }] },
      { role: 'tool', callId: 'c1', text: 'done' },
      { role: 'assistant', text: 'It is done.', toolCalls: [{ id: 'c2', name: 'gone', input: {} }] },
    ],
  })
}

describe('a stored conversation', () => {
  it('is shown as it was, with the data of tools, and counts what it took', async () => {
    const stored = await session()
    record(stored)
    const state = recall(stored, 'full')
    expect(listBlocks(state)).toMatchObject([
      { kind: 'banner', id: 0 },
      { kind: 'user', text: 'go', images: 1, id: 1 },
      { kind: 'reasoning', text: 'hm' },
      { kind: 'tool', call: { name: 'patch', state: 'done', text: 'done', data: diff } },
      { kind: 'answer', text: 'It is done.' },
      { kind: 'tool', call: { name: 'gone', state: 'failed' }, id: 5 },
    ])
    expect(state).toMatchObject({ nextId: 6, busy: false, contextTokens: 1010, usage: { costUsd: 0.25 } })
  })

  it('shows again what people decided and answered, to the calls that it was about', async () => {
    const stored = await session()
    const place = { sessionId: 's', turnId: 't1', expiresAt: 0 }
    const request = { ...place, id: 'a1', tool: 'terminal', action: 'rm -rf x', reason: 'it deletes', choices: [] }
    stored.record({
      turnId: 't1',
      events: [
        { type: 'turn.start', text: 'go', provider: 'fake', model: 'm' },
        { type: 'tool.start', callId: 'c1', name: 'terminal', input: { command: 'rm -rf x' } },
        { type: 'tool.start', callId: 'c2', name: 'clarify', input: { question: 'Why?' } },
        { type: 'approval.request', request },
        { type: 'approval.answer', id: 'a1', choice: 'deny', by: 'cli' },
        { type: 'tool.complete', callId: 'c1', name: 'terminal', ok: false, text: 'Not allowed' },
        { type: 'clarify.request', question: { ...place, id: 'q1', text: 'Why?', choices: [] } },
        { type: 'clarify.answer', id: 'q1', text: 'So.', by: 'cli' },
        { type: 'tool.complete', callId: 'c2', name: 'clarify', ok: true, text: 'So.' },
        { type: 'turn.end', reason: 'completed', usage: {} },
      ],
      messages: [
        { role: 'user', text: 'go' },
        {
          role: 'assistant',
          text: '',
          toolCalls: [
            { id: 'c1', name: 'terminal', input: { command: 'rm -rf x' } },
            { id: 'c2', name: 'clarify', input: { question: 'Why?' } },
          ],
        },
        { role: 'tool', callId: 'c1', text: 'Not allowed', failed: true },
        { role: 'tool', callId: 'c2', text: 'So.' },
      ],
    })
    expect(listBlocks(recall(stored, 'full'))).toMatchObject([
      { kind: 'banner' },
      { kind: 'user' },
      { kind: 'tool', decision: { choice: 'deny', by: 'cli', action: 'rm -rf x' } },
      { kind: 'tool', reply: { question: 'Why?', answer: 'So.' } },
    ])
  })

  it('shows a mark where it was compressed', async () => {
    const stored = await session()
    record(stored)
    const text = 'They changed x.'
    stored.record({ turnId: 't2', events: [{ type: 'compressed', before: 900, after: 90, text }] })
    stored.compress({ from: 0, to: 4, summary: [{ role: 'user', text: `[Summary]\n${text}` }] })
    const state = recall(stored, 'full')
    expect(listBlocks(state)).toMatchObject([{ kind: 'banner' }, { kind: 'compressed', before: 900, after: 90, text }])
    expect(state.contextTokens).toBe(90)
  })

  it('is told in short: the last ten questions, without tools', async () => {
    const stored = await session()
    for (let count = 0; count < 15; count++)
      stored.record({
        turnId: `t${count}`,
        events: [],
        messages: [
          { role: 'user', text: `question ${count} ${'x'.repeat(1000)}` },
          { role: 'assistant', text: `answer ${count}`, toolCalls: [{ id: `c${count}`, name: 'a', input: {} }] },
        ],
      })
    const blocks = listBlocks(recall(stored, 'minimal'))
    expect(blocks).toHaveLength(21)
    expect(blocks[1]).toMatchObject({ kind: 'user', text: expect.stringMatching(/^question 5 x+ …$/) })
    expect(listBlocks(recall(stored, 'none'))).toHaveLength(1)
  })
})
