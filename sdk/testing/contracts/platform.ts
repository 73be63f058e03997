/** What `Platform` promises to the gateway. */
import assert from 'node:assert/strict'
import { isContact } from '../../kit/net/contact.ts'
import type { GatewayConnection, InboundMessage, InboundResult, Platform, ReadCursor } from '../../platforms.ts'
import { type ContractCase, refusal, seen, soon } from './contract.ts'
import { fileCases } from './platform-files.ts'

/** A person in a chat of the platform. @since 0.1 */
export interface PlatformPeer {
  readonly chatId: string
  /** Writes a message; resolves when it is on its way. */
  say(text: string): void | Promise<void>
  /** What arrived in the chat so far, oldest first. Asked again until it shows what is waited for. */
  heard(): readonly string[] | Promise<readonly string[]>
  /** The contents of the files of each message that arrived, oldest first; left out: cases of files are passed over. */
  files?(): readonly (readonly Uint8Array[])[]
  /** Makes the choice with this label of the newest message that offers it; left out: the case of choices is passed over. */
  choose?(label: string): void | Promise<void>
}

/** A platform to examine, with a person to talk to. @since 0.1 */
export interface PlatformSetup {
  readonly platform: Platform
  /** Called once the platform is connected. */
  join(): PlatformPeer | Promise<PlatformPeer>
  /** Undoes what making it took. */
  close?(): Promise<void>
}

/** Milliseconds; generous, because a machine that tests is busy. */
const CONNECT_MS = 15_000
const QUICK_MS = 3000

/** The cases that a chat platform passes; `make` is called for each. @since 0.1 */
export function platformContract(make: () => PlatformSetup | Promise<PlatformSetup>): ContractCase[] {
  const examine = (name: string, run: (talk: Talk) => Promise<void>): ContractCase => ({
    name,
    run: () => inTalk(make, run),
  })
  return [
    examine('has names and limits', async ({ platform }) => checkFacts(platform)),
    examine('a probe proves the connection', async ({ platform }) => {
      assert.ok(await soon(QUICK_MS, 'probe()', platform.probe()), 'probe() is false while it is connected')
    }),
    examine('its contact is an address that runs nothing, where it has one', hasContact),
    examine('hands over what people write, once and in order, with ids that stay', handsOver),
    examine('a message that could not be taken does not stop the next', goesOnAfterRefusal),
    examine('delivers what is sent and gives a receipt for each message', delivers),
    examine('a repeated send with one key makes one message, where it says so', repeatsOnce),
    examine('a message that was sent is found by its key, where it says so', findsSent),
    examine('commits before a message can arrive, and sends nothing when it may not, where it says so', commits),
    examine('a text of the greatest length arrives whole', sendsLongest),
    examine('a text over the limit is refused or arrives whole, never cut in silence', cutsNothing),
    examine('typing and editing work where they are offered', doesExtras),
    examine('offers as many choices as it says, and tells which one was made', offersChoices),
    ...Object.entries(fileCases).map(([name, run]) => examine(name, run)),
    examine('close ends everything, and may be called again', closes),
    examine('connects again after it was closed', connectsAgain),
    examine('is not connected for a gateway that left meanwhile', leavesWithGateway),
  ]
}

/** The cases that can be run without a person to talk to. */
export function lonelyPlatformContract(platform: Platform): ContractCase[] {
  return [
    { name: 'has names and limits', run: async () => checkFacts(platform) },
    {
      name: 'connects, or says what to fix',
      async run() {
        const link = new Ear()
        const outcome = await soon(
          CONNECT_MS,
          'connect()',
          platform.connect(link).then(() => undefined, String),
        )
        if (outcome !== undefined) assert.match(outcome, /^SvcError: \S+/, `connect() threw "${outcome}"`)
        link.abort()
        await soon(QUICK_MS, 'close()', platform.close())
        assert.ok(!(await soon(QUICK_MS, 'probe()', platform.probe())), 'probe() is true after close()')
      },
    },
    {
      name: 'may be closed without having been connected',
      run: () => soon(QUICK_MS, 'close()', platform.close()),
    },
  ]
}

/** A connected platform, a person in a chat, and what the gateway would have received. */
interface Talk {
  readonly platform: Platform
  readonly peer: PlatformPeer
  readonly link: Ear
}

async function inTalk(make: () => PlatformSetup | Promise<PlatformSetup>, run: (talk: Talk) => Promise<void>) {
  const setup = await make()
  const link = new Ear()
  try {
    await soon(CONNECT_MS, 'connect()', setup.platform.connect(link))
    await run({ platform: setup.platform, link, peer: await setup.join() })
  } finally {
    link.abort()
    await soon(QUICK_MS, 'close()', setup.platform.close())
    await setup.close?.()
  }
}

/** Stands in for the gateway. */
class Ear implements GatewayConnection {
  readonly received: InboundMessage[] = []
  readonly losses: string[] = []
  /** Messages that are refused before the next one is taken. */
  refuse = 0
  refused = 0
  readonly #cursors: Map<string, string> = new Map()
  #abort = new AbortController()
  readonly signal: AbortSignal = this.#abort.signal

  abort(): void {
    this.#abort.abort()
  }

  async receive(message: InboundMessage): Promise<InboundResult> {
    if (this.refused < this.refuse) {
      this.refused++
      throw new Error('the inbox is full')
    }
    this.received.push(message)
    return { outcome: 'taken' }
  }

  alive(): void {
    // No test code observes it here.
  }

  lost(reason: string): void {
    this.losses.push(reason)
  }

  cursor(account: string): ReadCursor {
    return { get: () => this.#cursors.get(account), set: (value) => void this.#cursors.set(account, value) }
  }
}

function checkFacts({ name, label, limits, find }: Platform): void {
  assert.match(name, /^[a-z][a-z0-9-]*$/, 'its name is not lower-case letters, digits and hyphens')
  assert.ok(label.trim(), 'its label is empty')
  assert.ok(Number.isInteger(limits.maxTextLength) && limits.maxTextLength > 0, 'maxTextLength is no length')
  const known = ['key', 'lookup', 'none'].includes(limits.idempotency)
  assert.ok(limits.idempotency !== 'lookup' || find, 'it has no find(), although its idempotency is lookup')
  assert.ok(known, 'it does not say how a repeated send is told from the first: key, lookup or none')
}

async function hasContact({ platform }: Talk): Promise<void> {
  const contact = await soon(QUICK_MS, 'contact()', Promise.resolve(platform.contact?.()))
  assert.ok(contact === undefined || isContact(contact), `its contact is no address: ${contact}`)
}

async function handsOver({ platform, peer, link }: Talk): Promise<void> {
  await peer.say('first')
  await received(link, 'first')
  await peer.say('zweite Nachricht ✓')
  await received(link, 'zweite Nachricht ✓')
  assert.deepEqual(
    link.received.map(({ text }) => text),
    ['first', 'zweite Nachricht ✓'],
  )
  const [one, two] = link.received
  assert.equal(one?.platform, platform.name, 'a message has the name of another platform')
  assert.equal(one.chatId, peer.chatId, 'a message came from another chat')
  assert.ok(one.userId && one.messageId, 'a message lacks the ids of its user or its own')
  assert.deepEqual([two?.chatId, two?.userId], [one.chatId, one.userId], 'ids changed from one message to the next')
  assert.notEqual(two?.messageId, one.messageId, 'two messages have the same id')
}

async function goesOnAfterRefusal({ peer, link }: Talk): Promise<void> {
  link.refuse = 1
  await peer.say('not taken')
  await seen(QUICK_MS, 'handing over a message', () => link.refused || undefined)
  await peer.say('taken')
  await received(link, 'taken')
}

async function delivers({ platform, peer }: Talk): Promise<void> {
  const { chatId } = peer
  const one = await platform.send({ chatId, text: 'one', key: 'contract-1' })
  const two = await platform.send({ chatId, text: 'two\nlines of ünïcödé', key: 'contract-2' })
  assert.ok(one.messageId && two.messageId, 'a receipt lacks the id of its message')
  assert.notEqual(one.messageId, two.messageId, 'two messages have the same receipt')
  await heard(peer, 'one', 'two', 'lines of ünïcödé')
}

async function commits({ platform, peer }: Talk): Promise<void> {
  if (!platform.limits.commits) return
  const { chatId } = peer
  const commit = () => {
    throw new Error('the attempt is over')
  }
  const late = { chatId, text: 'over before it began', key: 'contract-over', commit }
  await refusal('a message that may not be committed', () => platform.send(late))
  let times = 0
  const count = () => void times++
  await platform.send({ chatId, text: 'committed', key: 'contract-committed', commit: count })
  assert.equal(times, 1, 'commit() was not called exactly once')
  await heard(peer, 'committed')
  const all = (await peer.heard()).join('\n')
  assert.ok(!all.includes('over before it began'), 'a message arrived although commit() threw')
}

async function repeatsOnce({ platform, peer }: Talk): Promise<void> {
  if (platform.limits.idempotency !== 'key') return
  const message = { chatId: peer.chatId, text: 'only once', key: 'contract-1' }
  const first = await platform.send(message)
  const second = await platform.send(message)
  assert.deepEqual(second, first, 'the repeated send has another receipt')
  await platform.send({ ...message, text: 'the end', key: 'contract-2' })
  await heard(peer, 'the end')
  const all = (await peer.heard()).join('\n')
  assert.ok(all.split('only once').length === 2, `"only once" arrived more than once: ${all}`)
}

async function findsSent({ platform, peer }: Talk): Promise<void> {
  const { find } = platform
  if (platform.limits.idempotency !== 'lookup' || !find) return
  const message = { chatId: peer.chatId, text: 'to be found', key: 'contract-1' }
  assert.equal(await find.call(platform, message), undefined, 'find() knows a message before it was sent')
  const receipt = await platform.send(message)
  assert.deepEqual(await find.call(platform, message), receipt, 'find() does not give the receipt of the send')
  const other = await find.call(platform, { ...message, key: 'contract-2' })
  assert.equal(other, undefined, 'find() takes one message for another')
}

async function sendsLongest({ platform, peer }: Talk): Promise<void> {
  const text = `${'x'.repeat(Math.min(platform.limits.maxTextLength, 100_000) - 1)}!`
  await platform.send({ chatId: peer.chatId, text, key: 'contract-1' })
  await heard(peer, text)
}

async function cutsNothing({ platform, peer }: Talk): Promise<void> {
  const text = `${'x'.repeat(platform.limits.maxTextLength)}!`
  const sent = await platform.send({ chatId: peer.chatId, text, key: 'contract-1' }).then(
    () => 'sent',
    () => 'refused',
  )
  if (sent === 'sent') await seen(QUICK_MS, 'the end of a long text', async () => endsIn(await peer.heard(), text))
}

async function doesExtras({ platform, peer }: Talk): Promise<void> {
  const { chatId } = peer
  await platform.typing?.(chatId)
  const { messageId } = await platform.send({ chatId, text: 'draft', key: 'contract-1' })
  await platform.edit?.({ chatId, messageId, text: 'final', isFinal: true })
  if (platform.edit) await heard(peer, 'final')
}

async function offersChoices({ platform, peer, link }: Talk): Promise<void> {
  const { buttons: most = 0 } = platform.limits
  if (most === 0 || !peer.choose) return
  const buttons = Array.from({ length: most }, (_, at) => ({ value: `contract:${at}`, label: `Choice ${at + 1}` }))
  await platform.send({ chatId: peer.chatId, text: 'which one?', key: 'contract-1', buttons })
  await heard(peer, 'which one?')
  await peer.choose(`Choice ${most}`)
  const value = `contract:${most - 1}`
  const chosen = await seen(QUICK_MS, 'the choice', () => link.received.find(({ press }) => press !== undefined))
  assert.equal(chosen.press, value, 'another choice was handed over than the one that was made')
  assert.equal(chosen.chatId, peer.chatId, 'a choice came from another chat')
}

async function closes({ platform, peer, link }: Talk): Promise<void> {
  await soon(QUICK_MS, 'close()', platform.close())
  await soon(QUICK_MS, 'a second close()', platform.close())
  assert.ok(!(await soon(QUICK_MS, 'probe()', platform.probe())), 'probe() is true after close()')
  const send = () => platform.send({ chatId: peer.chatId, text: 'too late', key: 'contract-1' })
  await soon(QUICK_MS, 'send() after close()', refusal('a message after close()', send))
  const before = link.received.length
  // The connection may already be closed.
  await Promise.resolve(peer.say('too late')).catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.ok(link.received.length === before, 'a message was handed over after close()')
}

async function connectsAgain({ platform }: Talk): Promise<void> {
  await platform.close()
  await soon(CONNECT_MS, 'connecting again', platform.connect(new Ear()))
  assert.ok(await soon(QUICK_MS, 'probe()', platform.probe()), 'probe() is false after connecting again')
}

/** However soon it leaves: at once, in the middle, late. */
async function leavesWithGateway({ platform }: Talk): Promise<void> {
  for (const rounds of [0, 1, 5, 20]) {
    await platform.close()
    const link = new Ear()
    const connecting = platform.connect(link).catch(() => undefined)
    for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve))
    link.abort()
    await soon(QUICK_MS, 'close()', platform.close())
    await soon(CONNECT_MS, 'connect()', connecting)
    assert.ok(!(await soon(QUICK_MS, 'probe()', platform.probe())), `it is connected ${rounds} rounds after a start`)
  }
}

async function received(link: Ear, text: string): Promise<void> {
  await seen(QUICK_MS, `handing over "${text}"`, () => link.received.find((message) => message.text === text))
}

async function heard(peer: PlatformPeer, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const what = `the arrival of "${text.slice(0, 40)}"`
    await seen(QUICK_MS, what, async () => (await peer.heard()).find((arrived) => arrived.includes(text)))
  }
}

/** A long text may arrive in several pieces. */
function endsIn(pieces: readonly string[], text: string): true | undefined {
  return pieces.join('').replace(/\s/g, '').includes(text) || undefined
}
