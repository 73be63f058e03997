import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import { RequestDigest } from '../../../../plugins/agent/agent/request-digest.ts'

const said = (text: string): Message => ({ role: 'user', text })
const answered = (text: string): Message => ({ role: 'assistant', text })
const system = (text: string): Message => ({ role: 'system', text })
/** Of a conversation that no one has seen before: other objects with the same words. */
const fresh = (messages: readonly Message[]) => new RequestDigest().of(structuredClone([...messages]), [], {})

test('the fingerprint of a request is that of its words, whatever was sent in turns before', () => {
  const conversation = [said('one'), answered('two')]
  const turn = new RequestDigest()
  const first = [system('be brief'), ...conversation]
  expect(turn.of(first, [], {})).toEqual(fresh(first))
  const second = [...first, said('three')]
  expect(turn.of(second, [], {})).toEqual(fresh(second))

  const next = [system('be brief'), ...conversation, said('three'), answered('four'), said('five')]
  expect(new RequestDigest().of(next, [], {})).toEqual(fresh(next))
  const other = [system('be long'), ...next.slice(1)]
  expect(new RequestDigest().of(other, [], {})).toEqual(fresh(other))
  expect(fresh(other)).not.toEqual(fresh(next))
})

test('two turns that continue the same conversation in different ways do not disturb one another', () => {
  const shared = [said('one'), answered('two')]
  const before = new RequestDigest()
  before.of(shared, [], {})
  const [left, right] = [new RequestDigest(), new RequestDigest()]
  const leftWords = [...shared, said('left')]
  const rightWords = [...shared, said('right')]
  expect(left.of(leftWords, [], {})).toEqual(fresh(leftWords))
  expect(right.of(rightWords, [], {})).toEqual(fresh(rightWords))
  const more = [...leftWords, answered('more')]
  expect(left.of(more, [], {})).toEqual(fresh(more))
  const again = [...shared, said('again')]
  expect(before.of(again, [], {})).toEqual(fresh(again))
})

test('a message in the middle that was replaced is noticed', () => {
  const messages = [said('one'), answered('two'), said('three')]
  const turn = new RequestDigest()
  turn.of(messages, [], {})
  const changed = [said('one'), answered('2'), messages[2] as Message]
  expect(turn.of(changed, [], {})).toEqual(fresh(changed))
  expect(new RequestDigest().of(changed, [], {})).toEqual(fresh(changed))
})

test('a long conversation is not read again by the next turn', () => {
  let reads = 0
  const counted = (text: string): Message => {
    const toJSON = () => {
      reads += 1
      return { role: 'user', text }
    }
    return Object.assign(said(text), { toJSON })
  }
  const conversation = Array.from({ length: 1000 }, (_, at) => counted(`word ${at}`))
  new RequestDigest().of([system('s'), ...conversation], [], {})
  expect(reads).toBe(1000)
  new RequestDigest().of([system('s'), ...conversation, answered('yes'), counted('one more')], [], {})
  expect(reads).toBe(1001)
})
