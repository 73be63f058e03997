import { expect, test } from 'vitest'
import { Channel } from '../../../../plugins/agent/agent/event-channel.ts'

test('no one reads what is not on the disk yet, nor what came after it', async () => {
  const channel = new Channel<string>()
  let sync = () => {}
  const synced = new Promise<void>((resolve) => {
    sync = resolve
  })
  channel.push(['a piece'])
  channel.push(['the outcome'], synced)
  channel.push(['more'])
  channel.close()
  const read: string[] = []
  const reading = (async () => {
    for await (const item of channel) read.push(item)
  })()
  await new Promise((resolve) => setImmediate(resolve))
  expect(read).toEqual(['a piece'])
  sync()
  await reading
  expect(read).toEqual(['a piece', 'the outcome', 'more'])
})

test('a disk that fails fails anyone who reads, and no one else', async () => {
  const channel = new Channel<string>()
  channel.push(['shown'])
  channel.push(['lost'], Promise.reject(new Error('the disk failed')))
  await new Promise((resolve) => setImmediate(resolve))
  const reader = channel[Symbol.asyncIterator]()
  expect(await reader.next()).toEqual({ value: 'shown', done: false })
  await expect(reader.next()).rejects.toThrow('the disk failed')
})

test('a turn waits while its reader is far behind', async () => {
  const channel = new Channel<number>()
  channel.push(Array.from({ length: 300 }, (_, index) => index))
  let isThrough = false
  const through = channel.room().then(() => {
    isThrough = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isThrough).toBe(false)
  await channel[Symbol.asyncIterator]().next()
  await through
})
