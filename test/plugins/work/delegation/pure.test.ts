/** Parts without a kernel: how much of an answer is read, what a call says, places of subagents. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRequest } from '../../../../plugins/work/delegation/request.ts'
import { Slots } from '../../../../plugins/work/delegation/slots.ts'
import { fitSummary, summaryBudget } from '../../../../plugins/work/delegation/summary.ts'

const PATH = '/home/me/.svc/plugins/delegation/summaries/sa-0-0123abcd.md'
const text = fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 200 }).map((lines) => lines.join('\n'))

describe('an answer within its budget', () => {
  test('is never longer, keeps its beginning and its end, and splits no character', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 4000 }), (whole, budget) => {
        const { text: fitted, isCut } = fitSummary(whole, budget, PATH)
        expect(fitted.length).toBeLessThanOrEqual(budget)
        expect(isCut).toBe(whole.length > budget)
        if (!isCut) expect(fitted).toBe(whole)
        if (!isCut) return
        expect(fitted.isWellFormed()).toBe(true)
        const [head, tail] = fitted.split(/\n\[\d+ characters are left out here, from line \d+ on\. All of it: .*\]\n/s)
        expect(whole.startsWith(head ?? '')).toBe(true)
        if (tail !== undefined) expect(whole.endsWith(tail)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('tells where the rest is, and how much that is', () => {
    const lines = Array.from({ length: 400 }, (_, at) => `line ${at + 1} ${'x'.repeat(20)}`)
    const whole = lines.join('\n')
    const { text: fitted } = fitSummary(whole, 4000, PATH)
    const [, left, line] = /\[(\d+) characters are left out here, from line (\d+) on/.exec(fitted) ?? []
    const [head = '', tail = ''] = fitted.split(/\n\[.*\]\n/)
    expect(head.length + tail.length + Number(left)).toBe(whole.length)
    expect(head.split('\n').length).toBe(Number(line))
    expect(lines).toContain(head.split('\n').at(-1))
    expect(lines).toContain(tail.split('\n')[0])
    expect(head.length / (head.length + tail.length)).toBeCloseTo(0.75, 1)
    expect(fitted).toContain(PATH)
  })

  test('all of a batch fit into half of what the context has left, and each has at least 2,000 characters', () => {
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined }),
        fc.nat(1_200_000),
        fc.integer({ min: 1, max: 50 }),
        (maxChars, contextWindow, usedTokens, children) => {
          const budget = summaryBudget({ maxChars, contextWindow, usedTokens, children })
          const most = maxChars > 0 ? maxChars : Number.MAX_SAFE_INTEGER
          const half = contextWindow === undefined ? most : (Math.max(0, contextWindow - usedTokens) / 2) * 4
          expect(budget).toBeLessThanOrEqual(most)
          expect(budget).toBeGreaterThanOrEqual(Math.min(most, contextWindow === undefined ? most : 2000))
          if (contextWindow !== undefined && budget > 2000) expect(budget * children).toBeLessThanOrEqual(half)
        },
      ),
    )
  })
})

describe('what a model writes into a call', () => {
  const limits = { maxTasks: 3, mayOrchestrate: true }

  test('is read leniently: a list as JSON text, roles of each task, what is not a role', () => {
    const tasks = JSON.stringify([{ goal: ' a ', role: 'orchestrator' }, { goal: 'b', context: 'c' }, { goal: 'd' }])
    expect(readRequest({ goal: 'ignored', role: 'boss', tasks }, limits)).toEqual({
      tasks: [
        { goal: 'a', role: 'orchestrator' },
        { goal: 'b', context: 'c', role: 'leaf' },
        { goal: 'd', role: 'leaf' },
      ],
      notes: ['There is no role "boss"; it was taken as leaf.'],
    })
    expect(readRequest({ goal: 'a', role: 'orchestrator' }, { maxTasks: 1, mayOrchestrate: false })).toEqual({
      tasks: [{ goal: 'a', role: 'leaf' }],
      notes: [expect.stringContaining('was taken as leaf')],
    })
    expect(readRequest({ goal: 'a', tasks: [] }, limits).tasks).toEqual([{ goal: 'a', role: 'leaf' }])
  })

  test.each([
    [{}, 'DELEGATION_INPUT', /has no goal/],
    [{ goal: '  ' }, 'DELEGATION_INPUT', /has no goal/],
    [{ tasks: [{ goal: 'a' }, { context: 'b' }] }, 'DELEGATION_INPUT', /Task 1 has no goal/],
    [{ tasks: '["a", "b"]' }, 'DELEGATION_INPUT', /Task 0 is not an object/],
    [{ tasks: '{"goal": "a"}' }, 'DELEGATION_INPUT', /not a list/],
    [{ tasks: 'a, b' }, 'DELEGATION_INPUT', /not JSON/],
    [{ tasks: Array(4).fill({ goal: 'a' }) }, 'DELEGATION_TOO_MANY', /4 tasks, and 3 at a time/],
  ])('%j is refused with the reason', (input, code, message) => {
    expect(() => readRequest(input, limits)).toThrowError(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
  })
})

test('no more than the limit work for one session, the others come in their order, and one that gives up leaves the row', async () => {
  const slots = new Slots()
  const never = new AbortController().signal
  const begun: number[] = []
  const first = await slots.take('a', 1, never)
  const stop = new AbortController()
  const gone = slots.take('a', 1, stop.signal)
  const later = [2, 3].map(async (n) => {
    const giveBack = await slots.take('a', 1, never)
    begun.push(n)
    return giveBack
  })
  await slots.take('b', 1, never)
  stop.abort(new Error('stopped'))
  await expect(gone).rejects.toThrow('stopped')
  first()
  first()
  const second = await later[0]
  expect(begun).toEqual([2])
  second?.()
  ;(await later[1])?.()
  expect([slots.busy('a'), slots.busy('b')]).toEqual([0, 1])
})
