import { StandInServer } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile, platformContract } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-ntfy/stand-in/service.ts'
import { catchCode, createStages } from '../../../../support/platform-stage.ts'

const { connected: topic, contract, stage } = createStages('ntfy', openStandIn)

const out = (text: string, key = 'key-1') => ({ chatId: 'svc-talk', text, key })

describe('ntfy keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})

test('the topic is who writes on ntfy: a title is part of the words and no name', async () => {
  await using at = await topic()
  await at.fake.member().say('  what is the time?  ')
  await expect.poll(() => at.ear.received).toHaveLength(1)
  expect(at.ear.received[0]).toMatchObject({
    platform: 'ntfy',
    chatId: 'svc-talk',
    userId: 'svc-talk',
    chatKind: 'dm',
    text: 'what is the time?',
  })
  expect(at.ear.lives).toBeGreaterThan(1)
})

test('what svc publishes to the topic of ntfy that it reads is not taken for a question', async () => {
  await using at = await topic()
  await at.platform.send(out('an answer'))
  await at.fake.member().say('a question')
  await expect.poll(() => at.ear.texts).toEqual(['a question'])
})

test('answers go to the topic of ntfy that is named for them', async () => {
  await using at = await topic({ env: { NTFY_PUBLISH_TOPIC: 'answers' } })
  await at.platform.send(out('here'))
  await at.platform.send({ ...out('there', 'key-2'), chatId: 'elsewhere' })
  expect(at.fake.deliveries().map(({ chatId, raw }) => [chatId, raw])).toEqual([
    ['answers', 'here'],
    ['elsewhere', 'there'],
  ])
})

test('nothing said on ntfy is lost while svc is away, and nothing is heard twice', async () => {
  const cursors = new Map<string, string>()
  const fake = await openStandIn()
  try {
    {
      await using at = await topic({ cursors, fake })
      await at.fake.member().say('before')
      await expect.poll(() => at.ear.texts).toEqual(['before'])
    }
    await fake.member().say('meanwhile')
    await using again = await topic({ cursors, fake })
    await again.fake.member().say('after')
    await expect.poll(() => again.ear.texts).toEqual(['meanwhile', 'after'])
  } finally {
    await fake.close()
  }
})

test('a message of ntfy that was not taken comes again, before those behind it', async () => {
  await using at = await topic()
  at.ear.refuse = 2
  await at.fake.member().say('one')
  await at.fake.member().say('two')
  await expect.poll(() => at.ear.texts, { timeout: 5000 }).toEqual(['one', 'two'])
})

test('a connection of ntfy that breaks is said once, and the next one continues where it was', async () => {
  await using at = await topic()
  await at.fake.member().say('one')
  await expect.poll(() => at.ear.texts).toEqual(['one'])
  at.fake.disturb('flap')
  await expect.poll(() => at.ear.losses).toHaveLength(1)
  expect(at.ear.losses[0]?.final).toBeUndefined()
  expect(await at.platform.probe()).toBe(false)
  await at.fake.member().say('two')
  await at.platform.connect(at.ear)
  await expect.poll(() => at.ear.texts).toEqual(['one', 'two'])
  expect(at.ear.losses).toHaveLength(1)
})

test('a token that ntfy does not know ends the attempts and says what to set', async () => {
  await using at = await stage({ env: { NTFY_TOKEN: 'tk_of_somebody_else' } })
  const attempt = at.platform.connect(at.ear)
  await expect(attempt).rejects.toMatchObject({ code: 'NTFY_UNAUTHORIZED' })
  await expect(attempt).rejects.toThrow(/NTFY_TOKEN/)
  expect(classifyDeliveryError(await attempt.catch((error: unknown) => error)).kind).toBe('refused')
})

test('an account of ntfy that is logged out while it is used is lost for good', async () => {
  await using at = await topic()
  at.fake.disturb('logout')
  await expect.poll(() => at.ear.losses).toHaveLength(1)
  expect(await catchCode(at.platform.connect(at.ear))).toBe('NTFY_UNAUTHORIZED')
})

test.for([
  ['a token with blanks around it', ' tk_0123456789abcdefghijklmnopqrs \n'],
  ['a name and a password with a blank inside', ' phil:my pass '],
])('ntfy takes %s', async ([, token]) => {
  await using at = await topic({ env: { NTFY_TOKEN: token } })
  expect(await at.platform.probe()).toBe(true)
})

test('without a topic ntfy is not connected, and a strange one is refused', async () => {
  await using at = await stage({ env: { NTFY_TOPIC: undefined } })
  expect(at.platform.missing?.()).toContain('NTFY_TOPIC')
  await using odd = await stage({ env: { NTFY_TOPIC: 'a/../b' } })
  expect(odd.platform.missing?.()).toBeUndefined()
  expect(await catchCode(odd.platform.connect(odd.ear))).toBe('NTFY_TOPIC')
  await using lost = await stage({ config: { server: `${odd.fake.config['server']}/app` } })
  expect(await catchCode(lost.platform.connect(lost.ear))).toBe('NTFY_TOPIC_NOT_FOUND')
})

test.for([
  ['busy', 'busy', 1000],
  ['unavailable', 'busy', undefined],
  ['lost', 'unsure', undefined],
  ['unanswered', 'unsure', undefined],
  ['forbidden', 'refused', undefined],
] as const)('when ntfy answers a message with "%s" the gateway is told "%s"', async ([fault, kind, retryAfterMs]) => {
  await using at = await topic()
  // A connection that is kept must not lead to a second attempt in silence.
  await at.platform.probe()
  at.fake.failSends(fault)
  const error = await at.platform.send(out('hello')).catch((reason: unknown) => reason)
  expect(classifyDeliveryError(error)).toEqual({ kind, ...(retryAfterMs && { retryAfterMs }) })
  const arrived = fault === 'unanswered' ? { messageId: at.fake.deliveries()[0]?.messageId } : undefined
  expect(await at.platform.find?.(out('hello'))).toEqual(arrived)
  expect(at.fake.deliveries()).toHaveLength(arrived ? 1 : 0)
})

test('ntfy takes no text over 4,096 bytes and none of blanks, however many characters that are', async () => {
  await using at = await topic()
  expect(await catchCode(at.platform.send(out('ü'.repeat(2049))))).toBe('NTFY_LENGTH')
  expect(await catchCode(at.platform.send(out('👩‍👩‍👧'.repeat(10_000))))).toBe('NTFY_LENGTH')
  expect(await catchCode(at.platform.send(out(' \n\t')))).toBe('NTFY_LENGTH')
  await at.platform.send(out('ü'.repeat(2048)))
  expect(at.fake.deliveries().map(({ raw }) => raw)).toEqual(['ü'.repeat(2048)])
})

test('a file goes to ntfy with its name, and one that came from it is read within its limit', async () => {
  await using at = await topic()
  const bytes = Buffer.from([0, 1, 2, 255])
  const file = outboundFile('größe & so.png', bytes, { mediaType: 'image/png' })
  await at.platform.send({ ...out('a picture'), files: [file] })
  expect(at.fake.deliveries()).toMatchObject([{ raw: 'a picture', files: [{ name: file.name, bytes }] }])
  await at.fake.member().say('', { files: [{ name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('hello') }] })
  await expect.poll(() => at.ear.received).toHaveLength(1)
  const [sent] = at.ear.received[0]?.files ?? []
  if (!sent) throw new Error('no file came')
  const { signal } = new AbortController()
  expect(sent).toMatchObject({ name: 'a.txt', size: 5 })
  expect(String(await at.platform.fetch?.(sent, { maxBytes: 5, signal }))).toBe('hello')
  expect(await catchCode(at.platform.fetch?.(sent, { maxBytes: 4, signal }) ?? Promise.resolve())).toBe(
    'PLATFORM_FILE_LARGE',
  )
})

test('Markdown is sent to ntfy as such when it is asked for', async () => {
  await using plain = await topic()
  expect(plain.platform.limits.markup).toBeUndefined()
  await using at = await topic({ env: { NTFY_MARKDOWN: '1' } })
  const { markup } = at.platform.limits
  if (!markup) throw new Error('no markup')
  const said = '2 * 3 * 4 [x] `y` #1 snake_case_name'
  const code = 'a `b` ``` c'
  await at.platform.send(out(`${markup.escape?.(said)}\n${markup.fence?.(code, 'sh')}`))
  expect(at.fake.deliveries()[0]?.visible).toBe(`${said}\n${code}`)
})

test('words that only look like an event of ntfy stop nothing', async () => {
  await using at = await topic()
  await at.fake.member().say('{"event":"message"')
  await at.fake.member().say('null')
  await expect.poll(() => at.ear.texts).toEqual(['{"event":"message"', 'null'])
})

test('a server of ntfy that knows no sequence ids cannot tell what was sent, and says so', async () => {
  await using at = await topic()
  const { server } = at.fake.config
  const headers = { authorization: `Bearer ${at.fake.env['NTFY_TOKEN']}`, 'x-tags': 'svc' }
  await fetch(`${server}/svc-talk`, { method: 'POST', headers, body: 'as an old server keeps it' })
  const error = await at.platform.find?.(out('hello')).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'NTFY_FORGETFUL' })
  expect(classifyDeliveryError(error).kind).toBe('unsure')
})

test.for([
  ['a web page', '<html>Welcome</html>\n'],
  ['nothing at all', ''],
  ['a line that does not end', 'x'.repeat(2_000_000)],
])('%s in the place of a topic is tried again, and it is said what to check', async ([, body]) => {
  const service = await StandInServer.open(() => ({ body }))
  await using at = await stage({ config: { server: service.url } })
  const error = await at.platform.connect(at.ear).catch((reason: Error) => reason)
  expect(String(error)).toContain('NTFY_SERVER_URL')
  expect(classifyDeliveryError(error).kind).not.toBe('refused')
  await service.close()
})

test('lines of ntfy that are no events are passed over, and those that come in pieces are put together', async () => {
  const line = (event: object) => `${JSON.stringify({ id: 'a1', time: 1, topic: 'svc-talk', ...event })}\n`
  const service = await StandInServer.open(({ response }) => {
    const bytes = Buffer.from(line({ id: 'b2', event: 'message', message: 'zwölf 😀' }))
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write(`${line({ event: 'open' })}{"event":"message"}\nnull\n{{{\n\n`)
    for (const [at] of bytes.entries()) setTimeout(() => response.write(bytes.subarray(at, at + 1)), 20 + at)
    return 'open'
  })
  await using at = await topic({ config: { server: service.url } })
  await expect.poll(() => at.ear.texts, { timeout: 5000 }).toEqual(['zwölf 😀'])
  await service.close()
})
