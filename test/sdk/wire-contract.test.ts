import type { Message } from 'svc/sdk'
import {
  createModelFailure,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  unsupportedImageText,
} from 'svc/sdk/provider'
import { type WireSetup, wireContract } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { failingCases } from './failing-cases.ts'

/** What a provider may get wrong. */
type Flaw =
  | 'knows no hard thinking'
  | 'tells no failures'
  | 'drops pictures'
  | 'sends any picture'
  | 'stays stuck behind a picture'
  | 'leaks what others carry'
  | 'counts without the cache'
  | 'waits as long as it likes'
  | 'takes a cut for an end'
  | 'takes garbage for a cut'
  | 'keeps the connection'

const words = ['one ', 'two ', 'three ', 'four.']

/** A provider with its service in one, and one flaw. */
class Wire {
  #flaw: Flaw | undefined
  #conduct: Parameters<WireSetup['behave']>[0] = 'answers'
  #bodies: string[] = []
  #connected: Promise<void> = Promise.resolve()
  #fallSilent: () => void = () => {}
  #stalled = new Promise<void>((resolve) => {
    this.#fallSilent = resolve
  })

  constructor(flaw: Flaw | undefined) {
    this.#flaw = flaw
  }

  setup(): WireSetup {
    const status = async () => ({ ready: true, detail: 'It is here.' })
    const stream = (request: ModelRequest) => this.#stream(request)
    return {
      provider: { name: 'wire', label: 'Wire', status, models: async () => [{ id: 'm' }], stream },
      read: 113,
      carried: 'sealed',
      behave: (conduct) => {
        this.#conduct = conduct
      },
      requests: () => this.#bodies,
      stalled: this.#stalled,
      idle: () => this.#connected,
    }
  }

  async *#stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const has = (flaw: Flaw) => this.#flaw === flaw
    const strange = request.messages.find(isStrange)
    const isNew = strange !== undefined && strange === request.messages.at(-1)
    if (strange && !has('sends any picture') && (isNew || has('stays stuck behind a picture')))
      return yield failed('invalid')
    if (has('knows no hard thinking') && request.reasoning === 'xhigh') return yield failed('invalid')
    this.#bodies.push(JSON.stringify(request.messages.map((message) => this.#written(message))))
    yield* this.#answer(request)
  }

  #written(message: Message): object {
    const has = (flaw: Flaw) => this.#flaw === flaw
    const sees = (image: Parameters<typeof unsupportedImageText>[0]) =>
      unsupportedImageText(image, { types: ['image/png'], maxBytes: 99 }) === undefined || has('sends any picture')
    const images = message.role === 'system' || has('drops pictures') ? [] : message.images?.filter(sees)
    const failure = message.role === 'tool' && message.failed && !has('tells no failures') ? 'It failed.' : ''
    const carry = message.role === 'assistant' ? message.carry : undefined
    const isOwn = carry?.provider === 'wire' || has('leaks what others carry')
    return { text: failure + message.text, images, carry: isOwn ? carry?.data : undefined }
  }

  async *#answer({ signal }: ModelRequest): AsyncGenerator<ModelEvent> {
    const has = (flaw: Flaw) => this.#flaw === flaw
    const conduct = this.#conduct
    if (typeof conduct === 'object') {
      const wait = has('waits as long as it likes') ? {} : { retryAfterMs: Number(conduct.limits) * 1000 }
      return yield failed('rate-limit', wait)
    }
    if (conduct === 'garbage') return yield failed(has('takes garbage for a cut') ? 'cut' : 'garbled')
    if (conduct === 'html') return yield { type: 'failed', failure: createModelFailure('invalid', 'A web page.') }
    for (const text of words.slice(0, conduct === 'answers' ? 4 : 2)) yield { type: 'text', text }
    if (conduct === 'stalls') return yield await this.#stall(signal)
    if (conduct === 'cuts' && !has('takes a cut for an end')) return yield failed('cut')
    yield { type: 'usage', usage: { input: has('counts without the cache') ? 13 : 113, cachedInput: 100 } }
    yield { type: 'end', reason: 'stop', carry: { provider: 'wire', data: 'sealed' } }
  }

  async #stall(signal: AbortSignal): Promise<ModelEvent> {
    this.#fallSilent()
    if (this.#flaw === 'keeps the connection') this.#connected = new Promise(() => {})
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return failed('aborted')
  }
}

function isStrange(message: Message): boolean {
  return message.role === 'user' && message.images?.some(({ mediaType }) => mediaType !== 'image/png') === true
}

function failed(kind: ModelFailure['kind'], more: Parameters<typeof createModelFailure>[2] = {}): ModelEvent {
  return { type: 'failed', failure: createModelFailure(kind, 'It failed.', more) }
}

async function brokenPromises(flaw?: Flaw): Promise<string[]> {
  return Object.keys(await failingCases(wireContract(() => new Wire(flaw).setup())))
}

test('a sound wire keeps every promise', async () => {
  expect(await brokenPromises()).toEqual([])
})

test.for<[Flaw, string]>([
  ['knows no hard thinking', 'every level of reasoning gets an answer'],
  ['tells no failures', 'a result that went wrong is told as one'],
  ['drops pictures', 'pictures of the user and of tools are sent'],
  ['sends any picture', 'a picture that it cannot see stops the message it came with, and no other'],
  ['stays stuck behind a picture', 'a picture that it cannot see stops the message it came with, and no other'],
  ['leaks what others carry', 'what an answer carries goes back to its own provider only'],
  ['counts without the cache', 'tokens from a cache count as read'],
  ['waits as long as it likes', 'a limit is told with the time to wait'],
  ['takes a cut for an end', 'a cut answer is told as cut, after what was said'],
  ['takes garbage for a cut', 'garbage and web pages are told as what they are'],
  ['keeps the connection', 'an abort in the middle closes the connection'],
])('a wire that %s is found out', { timeout: 20_000 }, async ([flaw, promise]) => {
  expect(await brokenPromises(flaw)).toEqual([promise])
})
