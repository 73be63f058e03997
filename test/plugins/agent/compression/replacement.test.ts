import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { isConversationSummary } from 'svc/sdk/sessions'
import { describe, expect, test } from 'vitest'
import { cutByExchanges, cutBySize, isRequest, newestRequest } from '../../../../plugins/agent/compression/cut.ts'
import { collectFacts } from '../../../../plugins/agent/compression/kept-facts.ts'
import { replaceByPruning, replaceBySummary } from '../../../../plugins/agent/compression/replacement.ts'
import { prune } from '../../../../plugins/agent/compression/shorten-messages.ts'
import { totalTokens } from '../../../../plugins/agent/compression/tokens.ts'
import { collectStrings } from '../../../../plugins/agent/compression/tool-calls.ts'
import { conversation, faults } from './generated.ts'

/** The tool of these stories that keeps the plan. */
const PLAN: ReadonlySet<string> = new Set(['todo'])

const SUMMARY = 'The user asked for several things and most of them are done by now.'
const protection = fc.record({
  first: fc.integer({ min: 0, max: 6 }),
  last: fc.integer({ min: 3, max: 20 }),
  tail: fc.integer({ min: 1, max: 4000 }),
})

function says(messages: readonly Message[], text: string): boolean {
  return messages.some((message) => {
    const inputs =
      message.role === 'assistant' ? collectStrings((message.toolCalls ?? []).map(({ input }) => input)) : []
    return [message.text, ...inputs].some((each) => each.includes(text) || each.replaceAll('\n  ', '\n').includes(text))
  })
}

/** The agent had the last word. */
function closed(messages: readonly Message[]): readonly Message[] {
  return messages.at(-1)?.role === 'assistant' ? messages : [...messages, { role: 'assistant', text: 'Well.' }]
}

describe('whatever the conversation and what is protected', () => {
  test('roles alternate, calls have their answers, and the newest request stays word for word', () => {
    fc.assert(
      fc.property(conversation, protection, (messages, protect) => {
        const cut = cutBySize(messages, protect)
        if (!cut) return
        const { messages: after } = replaceBySummary(messages, cut, SUMMARY, PLAN)
        expect(faults(after)).toEqual([])
        expect(after).toContain(messages[newestRequest(messages)])
        expect(after.filter(isConversationSummary)).toHaveLength(1)
        expect(after.at(-1)).toBe(messages.at(-1))
      }),
      { numRuns: 300 },
    )
  })

  test('a call whose results alone are more than what may stay goes with none of them', () => {
    const call = (id: string) => ({ id, name: 'read_file', input: { path: id } })
    const messages: readonly Message[] = [
      { role: 'user', text: 'look' },
      { role: 'assistant', text: '', toolCalls: [call('a')] },
      { role: 'tool', callId: 'a', text: 'one' },
      { role: 'assistant', text: '', toolCalls: [call('b'), call('c'), call('d')] },
      ...['b', 'c', 'd'].map((callId): Message => ({ role: 'tool', callId, text: 'x'.repeat(400) })),
    ]
    expect(cutBySize(messages, { first: 2, last: 3, tail: 33 })).toBeUndefined()
  })

  test('requests, questions, open steps of the plan and the files worked with are still there', () => {
    fc.assert(
      fc.property(conversation, protection, (messages, protect) => {
        const cut = cutBySize(messages, protect)
        if (!cut) return
        const { messages: after } = replaceBySummary(messages, cut, SUMMARY, PLAN)
        expect(collectFacts(messages, PLAN).filter(({ text }) => !says(after, text))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('a second and a third compression lose none of it either, and summaries are never inside of each other', () => {
    fc.assert(
      fc.property(conversation, conversation, conversation, protection, (one, two, three, protect) => {
        let messages: readonly Message[] = []
        for (const more of [one, two, three]) {
          messages = closed([...messages, ...more])
          const facts = collectFacts(messages, PLAN)
          const cut = cutBySize(messages, protect)
          if (cut) messages = replaceBySummary(messages, cut, SUMMARY, PLAN).messages
          expect(facts.filter(({ text }) => !says(messages, text))).toEqual([])
          expect(faults(messages)).toEqual([])
          expect(messages.filter(isConversationSummary).length).toBeLessThanOrEqual(1)
          expect(messages.filter(({ text }) => text.split('<conversation-summary>').length > 2)).toEqual([])
        }
      }),
      { numRuns: 100 },
    )
  })

  test('the last exchanges that are to be kept are kept, all of them and nothing before', () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 1, max: 5 }), (messages, keep) => {
        const cut = cutByExchanges(messages, keep)
        expect(cut !== undefined).toBe(messages.filter(isRequest).length > keep)
        if (!cut) return
        expect(messages.slice(cut.to).filter(isRequest)).toHaveLength(keep)
        const { messages: after } = replaceBySummary(messages, cut, SUMMARY, PLAN)
        expect(after.slice(-(messages.length - cut.to))).toEqual(messages.slice(cut.to))
        expect(faults(after)).toEqual([])
      }),
    )
  })

  test('pruning changes neither order nor pairs, never makes anything longer, and twice is as once', () => {
    fc.assert(
      fc.property(conversation, protection, (messages, protect) => {
        const cut = cutBySize(messages, protect)
        if (!cut) return
        const shorter = prune(messages, cut, PLAN)
        expect(faults(shorter)).toEqual([])
        expect(totalTokens(shorter)).toBeLessThanOrEqual(totalTokens(messages))
        expect(prune(shorter, cut, PLAN)).toEqual(shorter)
        expect(shorter.slice(cut.to)).toEqual(messages.slice(cut.to))
        const replaced = replaceByPruning(messages, cut, PLAN)
        if (replaced)
          for (const { text } of collectFacts(messages, PLAN)) expect(says(replaced.messages, text)).toBe(true)
      }),
    )
  })
})
