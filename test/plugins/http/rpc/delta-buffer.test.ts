import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { DeltaBuffer } from '../../../../plugins/http/rpc/delta-buffer.ts'

function open(viewers: number) {
  const clock = virtualClock()
  const sent: string[] = []
  const emit = (type: string, payload: object) => sent.push(`${type} ${(payload as { text?: string }).text ?? ''}`)
  const buffer = new DeltaBuffer(
    () => clock,
    emit,
    () => viewers,
  )
  return { clock, sent, say: (text: string) => buffer.emit('message.delta', { text }), buffer }
}

test('pieces of one text are sent together after two frames of a screen', async () => {
  const { clock, sent, say } = open(1)
  for (const text of ['one ', 'two ']) say(text)
  await clock.advance(32)
  expect(sent).toEqual([])
  await clock.advance(1)
  expect(sent).toEqual(['message.delta one two '])
})

test('many viewers of one session get them half as often', async () => {
  const { clock, sent, say } = open(10)
  say('one ')
  await clock.advance(65)
  expect(sent).toEqual([])
  await clock.advance(1)
  expect(sent).toEqual(['message.delta one '])
})

test('other events wait for no text, and are not sent before one', () => {
  const { sent, say, buffer } = open(1)
  say('one ')
  buffer.emit('tool.start', {})
  expect(sent).toEqual(['message.delta one ', 'tool.start '])
})
