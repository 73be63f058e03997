import { classifyDeliveryError } from 'svc/sdk/platform'
import { afterEach, expect, test } from 'vitest'
import { SECRET, yards } from './yard.ts'

const open = yards(afterEach)
const failing = (work: Promise<unknown> | undefined) =>
  work?.then(
    () => undefined,
    (error: unknown) => error,
  )
const reviews = {
  hook: {
    secret: SECRET,
    deliver: 'github_comment',
    deliver_extra: { repo: '{repository.full_name}', pr_number: '{number}' },
  },
}
const pull = { repository: { full_name: 'ada/engine' }, number: 7 }

test('an answer becomes a comment where the event came from, and is found again by its key', async () => {
  const { open: listen, send, platform, sender } = await open({ routes: reviews })
  await listen()
  await send('hook', { id: 'one', payload: pull })
  const message = { chatId: 'hook:one', text: 'Looks **good**.', key: 'answer-1' }
  expect(await platform.find?.(message)).toBeUndefined()
  const receipt = await platform.send(message)
  expect(sender.comments).toMatchObject([{ repo: 'ada/engine', number: 7, visible: 'Looks **good**.' }])
  expect(await platform.find?.(message)).toEqual(receipt)
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000 }],
  ['unavailable', { kind: 'busy' }],
  ['forbidden', { kind: 'refused' }],
  ['lost', { kind: 'unsure' }],
  ['unanswered', { kind: 'unsure' }],
] as const)(
  'a comment that meets %s fails with what is certain of it, and finding tells the rest',
  async ([fault, failure]) => {
    const { open: listen, send, platform, sender } = await open({ routes: reviews })
    await listen()
    await send('hook', { id: 'one', payload: pull })
    sender.failComments(fault)
    const message = { chatId: 'hook:one', text: 'hi', key: 'answer-1' }
    expect(classifyDeliveryError(await failing(platform.send(message)))).toEqual(failure)
    const found = await platform.find?.(message)
    expect(found === undefined).toBe(fault !== 'unanswered')
  },
)

test('a comment is found behind hundreds of others', async () => {
  const { open: listen, send, platform, sender } = await open({ routes: reviews })
  await listen()
  await send('hook', { id: 'one', payload: pull })
  const bodies = sender.comments as unknown as object[]
  const noise = { id: 1, repo: 'ada/engine', number: 7, body: 'noise', visible: 'noise' }
  for (let at = 0; at < 250; at++) bodies.push(noise)
  sender.failComments('unanswered')
  const message = { chatId: 'hook:one', text: 'hi', key: 'answer-1' }
  await failing(platform.send(message))
  expect(await platform.find?.(message)).toEqual({ messageId: 'comment:1251' })
  expect(await platform.find?.({ ...message, key: 'answer-2' })).toBeUndefined()
})

test.for([
  [{ repository: { full_name: 'ada/../../user' }, number: 7 }, 'no repository'],
  [{ repository: { full_name: 'ada/engine?x' }, number: 7 }, 'no repository'],
  [{ repository: { full_name: 'ada/..' }, number: 7 }, 'no repository'],
  [{ number: 7 }, 'no repository'],
  [{ repository: { full_name: 'ada/engine' }, number: '7/../8' }, 'no number'],
  [{ repository: { full_name: 'ada/engine' }, number: -1 }, 'no number'],
  [{ repository: { full_name: 'ada/engine' } }, 'no number'],
] as const)('an event whose answer could go nowhere is refused: %j', async ([payload, reason]) => {
  const { open: listen, send, ear } = await open({ routes: reviews })
  await listen()
  const { status, body } = await send('hook', { payload })
  expect(status).toBe(422)
  expect(JSON.stringify(body)).toContain(reason)
  expect(ear.received).toEqual([])
})

test('without a token no comment is written, and what to do is said', async () => {
  const { open: listen, send, platform } = await open({ routes: reviews, env: { GITHUB_TOKEN: '' } })
  await listen()
  await send('hook', { id: 'one', payload: pull })
  const error = await failing(platform.send({ chatId: 'hook:one', text: 'hi', key: 'k' }))
  expect(String(error)).toContain('GITHUB_TOKEN')
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
})

test('an answer goes to a chat by the outbox, which is told who named the chat', async () => {
  const {
    open: listen,
    send,
    platform,
    posted,
  } = await open({
    routes: {
      home: { secret: SECRET, deliver: 'telegram' },
      named: { secret: SECRET, deliver: 'telegram:42', deliver_extra: { thread_id: 7 } },
      extra: { secret: SECRET, deliver: 'slack', deliver_extra: { chat_id: 'C{room}' } },
    },
  })
  await listen()
  for (const route of ['home', 'named', 'extra']) {
    await send(route, { id: 'one', payload: { room: 99 } })
    await platform.send({ chatId: `${route}:one`, text: `to ${route}`, key: `key-${route}` })
  }
  expect(posted.map(({ target, isOwners, text }) => [target, isOwners, text])).toEqual([
    ['telegram', true, 'to home'],
    ['telegram:42:7', true, 'to named'],
    ['slack:C99', undefined, 'to extra'],
  ])
})

test('an answer that is sent twice with one key reaches the chat once', async () => {
  const {
    open: listen,
    send,
    platform,
    posted,
  } = await open({ routes: { hook: { secret: SECRET, deliver: 'telegram' } } })
  await listen()
  await send('hook', { id: 'one' })
  const message = { chatId: 'hook:one', text: 'hi', key: 'k' }
  await platform.send(message)
  await platform.send(message)
  expect(posted).toHaveLength(1)
})

test.for(['a b', '', 'x,y', ':7', undefined])('a payload cannot name the chat "%s"', async (room) => {
  const { open: listen, send } = await open({
    routes: { hook: { secret: SECRET, deliver: 'slack', deliver_extra: { chat_id: '{room}' } } },
  })
  await listen()
  expect((await send('hook', { payload: { room } })).status).toBe(422)
})

test('an answer to an event that no one knows is refused', async () => {
  const { open: listen, platform } = await open()
  await listen()
  for (const chatId of ['hook:nobody', 'hook', '', 'a:b:c'])
    expect(classifyDeliveryError(await failing(platform.send({ chatId, text: 'hi', key: 'k' })))).toEqual({
      kind: 'refused',
    })
})

const direct = {
  hook: { secret: SECRET, deliver: 'telegram:42', deliver_only: true, prompt: 'Build {build.id}: {build.state}' },
}

test('deliver_only sends the words of the route themselves, and the agent is not asked', async () => {
  const { open: listen, send, posted, ear } = await open({ routes: direct })
  await listen()
  const answer = await send('hook', { id: 'one', payload: { build: { id: 3, state: 'green <b>' } } })
  const body = { status: 'delivered', route: 'hook', target: 'telegram:42', delivery_id: 'one' }
  expect(answer).toEqual({ status: 200, body })
  expect(posted.map(({ text }) => text)).toEqual(['Build 3: green <b>'])
  expect(ear.received).toEqual([])
  expect((await send('hook', { id: 'one' })).body).toEqual({ status: 'duplicate', delivery_id: 'one' })
})

test('a delivery that failed may be tried again, and one that got through unseen is not doubled', async () => {
  const {
    open: listen,
    send,
    sender,
  } = await open({
    routes: { hook: { ...reviews.hook, deliver_only: true, prompt: 'Thanks.' } },
  })
  await listen()
  const event = { id: 'one', payload: pull }
  sender.failComments('unavailable')
  expect(await send('hook', event)).toEqual({
    status: 502,
    body: { status: 'error', error: 'Delivery failed', delivery_id: 'one' },
  })
  sender.failComments('unanswered')
  expect((await send('hook', event)).status).toBe(502)
  expect(sender.comments).toHaveLength(1)
  expect((await send('hook', event)).status).toBe(200)
  expect(sender.comments).toHaveLength(1)
})
