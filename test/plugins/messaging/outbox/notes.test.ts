import { deliveryUncertain, type OutboundMessage } from 'svc/sdk/platform'
import { expect, test, vi } from 'vitest'
import { stage } from './stage.ts'

const platform = { limits: { idempotency: 'lookup' } } as const

/** Notes what it begins, and never hears of it. */
const hanging = vi.fn(async ({ writeNote }: OutboundMessage): Promise<never> => {
  writeNote?.('upload-1')
  writeNote?.('upload-2')
  return new Promise(() => {})
})

test('a note that was written before svc died is given to the lookup of the next process', async () => {
  const first = await stage({ platform })
  first.platform.send = hanging
  first.post('hello')
  await vi.waitFor(() => expect(hanging).toHaveBeenCalled())
  const second = await stage({ home: first.kernel.home, platform })
  const find = vi.fn(async ({ note }: OutboundMessage) => (note === 'upload-2' ? { messageId: 'there' } : undefined))
  second.platform.find = find
  await second.clock.advance(2000)
  await second.outbox.idle()
  expect(find).toHaveBeenCalledOnce()
  expect(second.said()).toEqual([])
  expect(second.outbox.deliveries()).toMatchObject([{ state: 'delivered', messageId: 'there' }])
})

test('a send that is repeated has the note of the attempt before, and an edit has none', async () => {
  const { platform: served, outbox, clock, post } = await stage({ platform })
  const notes: (string | undefined)[] = []
  served.find = async () => undefined
  served.send = async ({ note, writeNote }) => {
    notes.push(note)
    if (notes.length > 1) return { messageId: '1' }
    writeNote?.('begun')
    throw deliveryUncertain('CUT', 'cut')
  }
  const edits: object[] = []
  served.edit = async (edit) => void edits.push(edit)
  post('hello', { key: 'k' })
  await clock.advance(5000)
  await outbox.idle()
  expect(notes).toEqual([undefined, 'begun'])
  post('changed', { key: 'k' })
  await clock.advance(5000)
  await outbox.idle()
  expect(edits).toMatchObject([{ text: 'changed' }])
  expect(edits[0]).not.toHaveProperty('note')
})

test('a note of an attempt that is over, or one that is too long, is refused and stops the send', async () => {
  const { platform: served, outbox, post } = await stage({ platform })
  served.find = async () => undefined
  const sent: string[] = []
  let late: OutboundMessage['writeNote']
  served.send = async ({ text, writeNote }) => {
    late = writeNote
    writeNote?.(text === 'short' ? 'x'.repeat(2000) : 'x'.repeat(2001))
    sent.push(text)
    return { messageId: text }
  }
  post('short')
  await outbox.idle()
  post('long')
  await vi.waitFor(() => expect(outbox.deliveries({ key: 'long' })[0]?.attempts).toBe(1))
  expect(sent).toEqual(['short'])
  expect(outbox.deliveries({ key: 'long' })[0]).toMatchObject({ error: 'A note has at most 2000 characters.' })
  expect(() => late?.('later')).toThrow('did not answer in time')
})
