/** What a provider promises that asks a service over the network, before a service that does all it can do wrong. */
import assert from 'node:assert/strict'
import type { ImageContent, Message } from '../../messages.ts'
import { retryDelayMs } from '../../model-failure.ts'
import type { ModelEvent, ModelFailure, ModelRequest, ReasoningLevel } from '../../providers.ts'
import { type ContractCase, soon } from './contract.ts'
import type { ProviderSetup } from './provider.ts'

/** A provider with a service behind it that does as it is told. @since 0.1 */
export interface WireSetup extends ProviderSetup {
  /**
   * What the service does from now on. `answers`: a text of several words, with thoughts and counts of tokens as it has
   * them. `limits`: status 429 with this `Retry-After`. `cuts` and `stalls`: in the middle of the same answer.
   */
  behave(conduct: 'answers' | 'cuts' | 'stalls' | 'garbage' | 'html' | { readonly limits: string }): void
  /** The bodies of the requests for an answer, oldest first. */
  requests(): readonly string[]
  /** Resolves when a stalling answer has fallen silent. */
  readonly stalled: Promise<void>
  /** Resolves when no client is connected. */
  idle(): Promise<void>
  /** Tokens that `answers` counts as read, those of its cache with them. */
  readonly read: number
  /** What of the carry of an answer stands in a request that brings it back; undefined: nothing is carried. */
  readonly carried?: string
}

const QUICK_MS = 5000
const LEVELS: readonly ReasoningLevel[] = ['none', 'low', 'medium', 'high', 'xhigh']

/** The cases that a provider passes beside those of `providerContract`; `make` is called for each. @since 0.1 */
export function wireContract(make: () => WireSetup | Promise<WireSetup>): ContractCase[] {
  const examine = (name: string, run: (setup: WireSetup) => Promise<void>): ContractCase => ({
    name,
    async run() {
      const setup = await make()
      try {
        setup.behave('answers')
        await run(setup)
      } finally {
        await setup.close?.()
      }
    },
  })
  return [
    examine('every level of reasoning gets an answer', thinksAtAnyLevel),
    examine('a result that went wrong is told as one', tellsFailedResults),
    examine('pictures of the user and of tools are sent', sendsPictures),
    examine('a picture that it cannot see stops the message it came with, and no other', survivesPictures),
    examine('what an answer carries goes back to its own provider only', keepsCarries),
    examine('tokens from a cache count as read', countsWhatWasRead),
    examine('a limit is told with the time to wait', waitsAsTold),
    examine('a cut answer is told as cut, after what was said', tellsCuts),
    examine('garbage and web pages are told as what they are', tellsGarbage),
    examine('an abort in the middle closes the connection', closesWhenAborted),
  ]
}

async function thinksAtAnyLevel(setup: WireSetup): Promise<void> {
  for (const reasoning of LEVELS) await collectAnswer(setup, { reasoning }, `reasoning ${reasoning}`)
}

async function tellsFailedResults(setup: WireSetup): Promise<void> {
  const createBody = async (more: { readonly failed?: boolean }) => {
    await collectAnswer(setup, { messages: withTool({ text: 'no such file', ...more }) }, 'a result')
    return lastBody(setup)
  }
  const [failed, fine] = [await createBody({ failed: true }), await createBody({})]
  assert.ok(failed.includes('no such file') && fine.includes('no such file'), 'the text of a result was not sent')
  assert.notEqual(failed, fine, 'a result that went wrong looks like one that went well')
}

async function sendsPictures(setup: WireSetup): Promise<void> {
  const [first, ...rest] = withTool({ text: 'Seen.', images: [picture('VE9PTFRPT0w=')] })
  const asked = { ...first, images: [picture('VVNFUlVTRVI=')] } as Message
  await collectAnswer(setup, { messages: [asked, ...rest] }, 'a conversation with pictures')
  for (const data of ['VE9PTFRPT0w=', 'VVNFUlVTRVI='])
    assert.ok(lastBody(setup).includes(data), `the picture ${data} was not sent`)
}

async function survivesPictures(setup: WireSetup): Promise<void> {
  const shown: Message = {
    role: 'user',
    text: 'Look.',
    images: [{ mediaType: 'image/x-unheard-of', data: 'VVNFUg==' }],
  }
  const before = setup.requests().length
  const failure = await collectFailure(setup, { messages: [shown] })
  assert.equal(failure.kind, 'invalid', 'a picture of an unknown type was sent')
  assert.equal(setup.requests().length, before, 'a request was made all the same')
  const messages: Message[] = [shown, { role: 'assistant', text: 'At what?' }, { role: 'user', text: 'Never mind.' }]
  await collectAnswer(setup, { messages }, 'a conversation that continues after a picture')
  assert.ok(!lastBody(setup).includes('VVNFUg=='), 'a picture of an unknown type was sent')
}

async function keepsCarries(setup: WireSetup): Promise<void> {
  const events = await collectAnswer(setup, { reasoning: 'high' }, 'an answer')
  const last = events.at(-1)
  const carry = last?.type === 'end' ? last.carry : undefined
  assert.equal(carry === undefined, setup.carried === undefined, `it carries ${JSON.stringify(carry)}`)
  assert.ok(carry === undefined || carry.provider === setup.provider.name, 'its carry is for another provider')
  const data = carry?.data ?? { secret: 'of another provider' }
  const sends = async (provider: string) => {
    const answer = { role: 'assistant', text: joinText(events), carry: { provider, data } } as const
    const messages: Message[] = [hello, answer, { role: 'user', text: 'Go on.' }]
    await collectAnswer(setup, { reasoning: 'high', messages }, 'the next question')
    return lastBody(setup).includes(setup.carried ?? 'of another provider')
  }
  assert.equal(await sends(setup.provider.name), setup.carried !== undefined, 'its own carry was not sent back')
  assert.ok(!(await sends('another-provider')), 'it was sent what another provider carries')
}

async function countsWhatWasRead(setup: WireSetup): Promise<void> {
  const usage = (await collectAnswer(setup, {}, 'an answer')).find((event) => event.type === 'usage')
  assert.ok(usage?.type === 'usage', 'it does not count tokens')
  const { input = 0, cachedInput = 0, cacheWriteInput = 0 } = usage.usage
  assert.equal(input, setup.read, 'it counts other tokens than the service')
  assert.ok(cachedInput > 0 && input >= cachedInput + cacheWriteInput, 'tokens of the cache are not counted as read')
}

async function waitsAsTold(setup: WireSetup): Promise<void> {
  setup.behave({ limits: '7' })
  const { kind, retryable, retryAfterMs } = await collectFailure(setup)
  assert.deepEqual({ kind, retryable, retryAfterMs }, { kind: 'rate-limit', retryable: true, retryAfterMs: 7000 })
  setup.behave({ limits: '99999999' })
  const endless = await collectFailure(setup)
  assert.equal(endless.kind, 'rate-limit')
  assert.ok(retryDelayMs(endless, 0, 0) <= 600_000, 'it would be waited for years')
}

async function tellsCuts(setup: WireSetup): Promise<void> {
  const whole = joinText(await collectAnswer(setup, {}, 'an answer'))
  setup.behave('cuts')
  const events = await collectEvents(setup)
  const failure = failureIn(events)
  assert.deepEqual([failure.kind, failure.retryable], ['cut', true])
  const said = joinText(events)
  assert.ok(said !== '' && said !== whole && whole.startsWith(said), `of "${whole}" it gave "${said}"`)
}

async function tellsGarbage(setup: WireSetup): Promise<void> {
  setup.behave('garbage')
  assert.equal((await collectFailure(setup)).kind, 'garbled')
  setup.behave('html')
  const page = await collectFailure(setup)
  assert.ok(['garbled', 'invalid'].includes(page.kind) && !page.retryable, `a web page is told as ${page.kind}`)
}

async function closesWhenAborted(setup: WireSetup): Promise<void> {
  setup.behave('stalls')
  const abort = new AbortController()
  const events = collectEvents(setup, { signal: abort.signal })
  await soon(QUICK_MS, 'the first half of an answer', setup.stalled)
  abort.abort()
  const { kind, retryable } = failureIn(await soon(QUICK_MS, 'the end of an aborted stream', events))
  assert.deepEqual([kind, retryable], ['aborted', false])
  await soon(QUICK_MS, 'closing the connection', setup.idle())
}

const hello: Message = { role: 'user', text: 'Say hello.' }

function withTool(result: {
  readonly text: string
  readonly failed?: boolean
  readonly images?: readonly ImageContent[]
}) {
  const call = { id: 'call00001', name: 'look', input: {} }
  const messages: Message[] = [
    hello,
    { role: 'assistant', text: '', toolCalls: [call] },
    { role: 'tool', callId: call.id, ...result },
  ]
  return messages
}

function picture(data: string): ImageContent {
  return { mediaType: 'image/png', data }
}

async function collectEvents({ provider, model }: WireSetup, more: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const known = model ?? (await provider.models())[0]?.id ?? 'no-such-model-0'
  const signal = new AbortController().signal
  const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }]
  const events: ModelEvent[] = []
  for await (const batch of provider.stream({ model: known, messages: [hello], tools, signal, ...more }))
    events.push(...(Array.isArray(batch) ? batch : [batch as ModelEvent]))
  return events
}

async function collectAnswer(setup: WireSetup, more: Partial<ModelRequest>, what: string): Promise<ModelEvent[]> {
  const events = await collectEvents(setup, more)
  assert.equal(events.at(-1)?.type, 'end', `${what} failed: ${JSON.stringify(events.at(-1))}`)
  return events
}

async function collectFailure(setup: WireSetup, more: Partial<ModelRequest> = {}): Promise<ModelFailure> {
  return failureIn(await collectEvents(setup, more))
}

function failureIn(events: readonly ModelEvent[]): ModelFailure {
  const last = events.at(-1)
  return last?.type === 'failed' ? last.failure : assert.fail(`it ended with ${JSON.stringify(last)}`)
}

function joinText(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('')
}

function lastBody(setup: WireSetup): string {
  return setup.requests().at(-1) ?? ''
}
