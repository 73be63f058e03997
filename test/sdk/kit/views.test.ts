/** Calls of tools as every front end keeps them: events in, facts of a line out. */
import type { ToolCallView, TurnEvent } from 'svc/sdk'
import { describeCall, formatCall, isCallShown, reduceCalls, type TrackedCall } from 'svc/sdk/kit/views'
import { expect, test } from 'vitest'

const view: ToolCallView = { title: ({ input }) => `the ${(input as { what: string }).what}` }
const start = (callId: string, name: string, parent?: string) =>
  ({ type: 'tool.start', callId, name, input: { what: callId }, ...(parent && { parent }) }) as const
const running = (callId: string) => ({ type: 'tool.running', callId }) as const
const done = (callId: string, ok = true) => ({ type: 'tool.complete', callId, name: 'look', ok, text: 'a\nb' }) as const

function calls(...events: readonly (readonly [object, number?])[]): readonly TrackedCall[] {
  return events.reduce<readonly TrackedCall[]>(
    (all, [event, at]) =>
      reduceCalls(all, { turnId: 't', sessionId: 's', seq: 1, ...event } as unknown as TurnEvent, at),
    [],
  )
}

test('a call is wanted, runs, and is done or has failed', () => {
  const states = [start('a', 'look'), running('a'), done('a', false)].map(
    (_, at, all) => calls(...all.slice(0, at + 1).map((event) => [event] as const))[0]?.call.state,
  )
  expect(states).toEqual(['wanted', 'running', 'failed'])
  expect(calls([start('a', 'look')], [done('a')])[0]?.call).toMatchObject({ state: 'done', text: 'a\nb' })
})

test('a call that is made within another one is one deeper; a call of the same tool in a row is one again', () => {
  const all = calls([start('a', 'run')], [start('b', 'look', 'a')], [start('c', 'look', 'b')], [start('d', 'run')])
  expect(all.map(({ depth, again }) => [depth, again])).toEqual([
    [0, false],
    [1, false],
    [2, true],
    [0, false],
  ])
})

test('the end of a call whose start was in another process is a call of its own', () => {
  expect(calls([done('gone')])).toMatchObject([{ callId: 'gone', call: { name: 'look', input: {}, state: 'done' } }])
  expect(calls([running('gone')])).toEqual([])
})

test('which calls are shown: a repeated one is left out with `new`, unless it has failed', () => {
  const [first, again, failed] = calls(
    [start('a', 'look')],
    [start('b', 'look')],
    [start('c', 'look')],
    [done('c', false)],
  )
  const shown = (mode: Parameters<typeof isCallShown>[1]) =>
    [first, again, failed].map((call) => call !== undefined && isCallShown(call, mode))
  expect(shown('off')).toEqual([false, false, false])
  expect(shown('new')).toEqual([true, false, true])
  expect(shown('all')).toEqual([true, true, true])
  expect(shown('verbose')).toEqual([true, true, true])
})

test('a line says what the view of the tool says, else what the model wrote', () => {
  const [call] = calls([start('moon', 'look')])
  if (!call) throw new Error('no call')
  expect(formatCall(call, view, { most: 80 })).toBe('look the moon')
  expect(formatCall(call, undefined, { most: 80 })).toBe('look {"what":"moon"}')
  expect(formatCall(call, view, { most: 8 })).toBe('look the…')
})

test('how long a call took counts from when it was let run; a short time does not matter', () => {
  const timed = (from: number, to: number) => {
    const [call] = calls([start('a', 'look'), 0], [running('a'), from], [done('a'), to])
    if (!call) throw new Error('no call')
    return [formatCall(call, view, { most: 80, time: true }), describeCall(call, view, 99_999).ms]
  }
  expect(timed(5000, 6400)).toEqual(['look the a · 1.4s', 1400])
  expect(timed(5000, 5099)).toEqual(['look the a', undefined])
  const [under] = calls([start('a', 'look'), 0], [running('a'), 1000])
  expect(under && describeCall(under, view, 3000).ms).toBe(2000)
  expect(under && formatCall(under, view, { most: 80, time: true })).toBe('look the a')
})

test('lines of a result are counted, unless the view counts what matters', () => {
  const [call] = calls([start('a', 'look')], [done('a')])
  expect(call && describeCall(call, view, 0).lines).toBe(2)
  expect(call && describeCall(call, { ...view, counts: true }, 0).lines).toBe(0)
})
