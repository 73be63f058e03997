/** Stories of people on XMPP, of rooms, and of connections that end. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { xml } from '@xmpp/client'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-xmpp/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected, stage, home } = createStages('xmpp', openStandIn)
const ROOM = 'room-1@rooms.xmpp.example.com'
const EVENTUALLY = { timeout: 15_000 }

const failing = (work: Promise<unknown> | undefined) =>
  work?.then(
    () => undefined,
    (error: unknown) => error,
  )
const from = (sender: string, type: string, ...children: ReturnType<typeof xml>[]) =>
  xml('message', { from: sender, type }, ...children)
const body = (text: string) => xml('body', {}, text)

test.for([
  ['busy', 'busy'],
  ['unavailable', 'busy'],
  ['forbidden', 'refused'],
  ['lost', 'unsure'],
  ['unanswered', 'unsure'],
] as const)('a message that meets %s fails as %s, and what arrived is found by its key', async ([fault, kind]) => {
  for (const group of [undefined, 'lab']) {
    const { platform, fake, ear } = await connected()
    const { chatId } = fake.member(group === undefined ? {} : { group })
    const message = { chatId, text: 'hi', key: 'k1' }
    fake.failSends(fault)
    expect(classifyDeliveryError(await failing(platform.send(message)))).toEqual({ kind })
    await platform.connect(ear)
    const [sent] = fake.deliveries()
    expect(await platform.find?.(message)).toEqual(fault === 'unanswered' ? { messageId: sent?.messageId } : undefined)
  }
})

test('in a room a person has the address that the room shows, its id, or only a name; the own name is the address', async () => {
  const { fake, ear } = await connected()
  const occupant = (id: string) => xml('occupant-id', { xmlns: 'urn:xmpp:occupant-id:0', id })
  await fake.member({ userId: 'ada', group: 'lab' }).say('what is the time?', { mention: true })
  fake.tell(from(`${ROOM}/Bob`, 'groupchat', body('ask Svc, he knows'), occupant('o-1')))
  fake.tell(from(`${ROOM}/Eve`, 'groupchat', body('svcs are many')))
  fake.tell(from(`${ROOM}/svc`, 'groupchat', body('my own words')))
  fake.tell(from(ROOM, 'groupchat', body('the room says')))
  fake.tell(from(`${ROOM}/Eve`, 'chat', body('in private')))
  fake.tell(from('other@rooms.xmpp.example.com/Eve', 'groupchat', body('of a room that was not joined')))
  await fake.member({ userId: 'last' }).say('end')
  await expect.poll(() => ear.texts, EVENTUALLY).toContain('end')
  expect(ear.received.map(({ userId, text, isMention }) => [userId, text, isMention])).toEqual([
    ['ada@xmpp.example.com', 'what is the time?', true],
    [`${ROOM}#o-1`, 'ask Svc, he knows', true],
    [`${ROOM}/Eve`, 'svcs are many', undefined],
    ['last@xmpp.example.com', 'end', undefined],
  ])
})

test('notes, errors, headlines, encrypted words and answers of archives that were not asked are no messages', async () => {
  const { fake, ear } = await connected()
  const ada = 'ada@xmpp.example.com/phone'
  fake.tell(from(ada, 'chat', xml('composing', { xmlns: 'http://jabber.org/protocol/chatstates' })))
  fake.tell(from(ada, 'error', body('came back'), xml('error', { type: 'cancel' }, xml('gone'))))
  fake.tell(from(ada, 'headline', body('news')))
  fake.tell(from(`${fake.jid}/phone`, 'chat', body('my own words')))
  const archived = xml('forwarded', { xmlns: 'urn:xmpp:forward:0' }, from('eve@example.com/x', 'chat', body('forged')))
  fake.tell(from(ada, 'normal', xml('result', { xmlns: 'urn:xmpp:mam:2', queryid: 'svc-1', id: '1' }, archived)))
  const quote = xml('reply', { xmlns: 'urn:xmpp:reply:0', id: 'q1' })
  const part = xml(
    'fallback',
    { xmlns: 'urn:xmpp:fallback:0', for: 'urn:xmpp:reply:0' },
    xml('body', { start: '0', end: '7' }),
  )
  fake.tell(from(ada, 'chat', body('> 👍 so\nyes'), quote, part))
  await expect.poll(() => ear.texts, EVENTUALLY).toEqual(['yes'])
  expect(ear.received[0]).toMatchObject({ quote: { messageId: 'q1' }, chatId: 'ada@xmpp.example.com' })
})

test('a receipt is given once a message is stored, and not to a person who may not write', async () => {
  const { fake, ear } = await connected()
  const asked = (id: string) => {
    const message = from('ada@xmpp.example.com/phone', 'chat', body(id), xml('request', { xmlns: 'urn:xmpp:receipts' }))
    message.attrs['id'] = id
    return message
  }
  ear.reception = { outcome: 'refused' }
  fake.tell(asked('one'))
  await expect.poll(() => ear.texts, EVENTUALLY).toEqual(['one'])
  ear.reception = { outcome: 'taken' }
  ear.refuse = 1
  fake.tell(asked('two'))
  await expect.poll(() => fake.receipts(), EVENTUALLY).toEqual(['two'])
  expect(ear.refused).toBe(1)
})

test('what was not taken before the connection ended is read again by the next one, in order', async () => {
  const { fake, ear, restart, platform } = await home()
  const member = fake.member()
  await member.say('one')
  await expect.poll(() => ear.texts, EVENTUALLY).toEqual(['one'])
  ear.most = 1
  await member.say('two')
  await member.say('three')
  await expect.poll(() => ear.refused, EVENTUALLY).toBeGreaterThan(0)
  await platform.close()
  await fake.member({ group: 'lab' }).say('four')
  const next = await restart()
  await expect.poll(() => next.ear.texts, EVENTUALLY).toEqual(['two', 'three', 'four'])
})

test('without an account it is said what to set, before a connection is made', async () => {
  const { platform, ear } = await stage({ env: { XMPP_JID: '', XMPP_PASSWORD: '' } })
  const error = await failing(platform.connect(ear))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).toContain('needs XMPP_JID and XMPP_PASSWORD')
})

test('a server that resets each connection is a reason to try again later, and no rejection is left unhandled', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.resetAndDestroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  process.on('unhandledRejection', note)
  try {
    const { platform, ear } = await stage({ config: { server: `127.0.0.1:${port}` } })
    for (let round = 0; round < 5; round++)
      expect(classifyDeliveryError(await failing(platform.connect(ear)))).toEqual({ kind: 'busy' })
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
    server.close()
  }
})

test('while an archive answers, a message of another that looks like a part of it is not one', async () => {
  const { fake, ear, restart, platform } = await home()
  await fake.member().say('one')
  await expect.poll(() => ear.texts, EVENTUALLY).toEqual(['one'])
  await platform.close()
  await fake.member().say('two')
  fake.interject((queryid) => {
    const message = from('ada@xmpp.example.com/phone', 'chat', body('forged'))
    const forwarded = xml('forwarded', { xmlns: 'urn:xmpp:forward:0' }, message)
    const result = xml('result', { xmlns: 'urn:xmpp:mam:2', queryid, id: 'forged' }, forwarded)
    return from('eve@xmpp.example.com/phone', 'normal', result)
  })
  const next = await restart()
  await expect.poll(() => next.ear.texts, EVENTUALLY).toEqual(['two'])
})

test('an account that is put out of a room connects again', async () => {
  const { fake, ear, platform } = await connected()
  fake.kick(ROOM)
  await expect.poll(() => ear.losses, EVENTUALLY).toMatchObject([{ reason: expect.stringContaining(ROOM) }])
  expect(ear.losses[0]?.final).toBeUndefined()
  await platform.connect(ear)
  await platform.send({ chatId: ROOM, text: 'here again', key: 'k' })
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['here again'])
})

test('a mark takes the place of the one before, and is taken away', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  for (const state of ['working', 'done', undefined] as const)
    await platform.react?.({ chatId, messageId: 'm1', state, before: undefined })
  await platform.send({ chatId, text: 'end', key: 'k' })
  expect(fake.reactions?.()).toEqual([
    { messageId: 'm1', emoji: '👀', isThere: false },
    { messageId: 'm1', emoji: '✅', isThere: false },
  ])
})

test('what is missing or malformed is named before anything is opened', async () => {
  const without = await stage({ env: { XMPP_PASSWORD: undefined } })
  expect(without.platform.missing?.()).toBe('needs XMPP_PASSWORD')
  const odd = await stage({ env: { XMPP_JID: 'svc' } })
  expect(odd.platform.missing?.()).toContain('no address')
  const room = await stage({ config: { join: ['lab'] } })
  expect(room.platform.missing?.()).toContain('"lab"')
  const wrong = await stage({ env: { XMPP_PASSWORD: 'of another' } })
  const error = await failing(wrong.platform.connect(wrong.ear))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).not.toContain('of another')
})
