/** The outbox: takes messages, cuts them for their platforms, and lets couriers bring them. */

import {
  type Clock,
  type Dispose,
  type Logger,
  type PluginContext,
  type Random,
  type Registration,
  SvcError,
} from 'svc/sdk'
import { DeliveryFinished } from 'svc/sdk/hooks'
import { toRegistration } from 'svc/sdk/kit/async'
import { formatTarget } from 'svc/sdk/kit/text'
import type {
  Delivery,
  DeliveryState,
  DirectOutboxMessage,
  MessageFormatter,
  Outbox,
  OutboxFile,
  OutboxMessage,
  OutboxTarget,
  Platform,
} from 'svc/sdk/platform'
import { declinedText, planFiles } from './albums.ts'
import { DeliveryQueue, toDelivery } from './delivery-queue.ts'
import type { OutboxFiles } from './files.ts'
import { rewriteParts } from './message-parts.ts'
import { Preparation } from './preparation.ts'
import { withoutSecretLinks } from './secret-links.ts'
import { type KeptFile, type KeptMessage, type OutboxStore, type PartOfMessage, parseFiles } from './store.ts'

type QueuedMessage = ReturnType<Outbox['send']>

export interface OutboxDeps {
  readonly log: Logger
  readonly store: OutboxStore
  readonly files: OutboxFiles
  readonly clock: () => Clock
  readonly random: () => Random
  /** Whether other machines deliver the messages that this one leaves pending. */
  readonly isShared: () => boolean
  readonly text: () => MessageFormatter
  mask(text: string): string
  /** What of a link would give a secret away. */
  secretIn(url: string): string | undefined
  platforms(): readonly Platform[]
  /** The chat that is meant when only the platform is named. */
  home(platform: Platform): string | undefined
  trace(trace: string, stage: string, text: string, also?: readonly string[]): void
}

/** Other processes write, too. */
const WATCH_MS = 2000

/** Contract: `Outbox` of the SDK. */
export class MessageOutbox implements Outbox {
  readonly #ctx: PluginContext<undefined>
  readonly #deps: OutboxDeps
  readonly #couriers: Map<string, DeliveryQueue> = new Map()
  readonly #preparation: Preparation
  #epoch: string | undefined
  #unwatch: Dispose | undefined

  constructor(ctx: PluginContext<undefined>, deps: OutboxDeps) {
    this.#ctx = ctx
    this.#deps = deps
    this.#preparation = new Preparation(ctx, deps, {
      cut: (message, changed) => this.#cut(message, changed),
      settled: (part) => this.#settled(part),
    })
  }

  home(name: string): string | undefined {
    const platform = this.#platform(name)
    return platform && this.#deps.home(platform)
  }

  destinations(): readonly OutboxTarget[] {
    const { store } = this.#deps
    const known = this.#deps.platforms()
    const homes = known.flatMap((platform) => {
      return this.#deps.home(platform) ? [{ target: platform.name, label: `${platform.label}, home chat` }] : []
    })
    const names = new Set(known.map(({ name }) => name))
    const seen = store.destinations().filter(({ platform }) => names.has(platform))
    return [...homes, ...seen.map(({ target, label }) => ({ target, label }))]
  }

  know({ platform, chatId, threadId, label }: Parameters<Outbox['know']>[0]): void {
    const target = formatTarget({ platform, chatId, threadId })
    const { store, clock } = this.#deps
    store.know({ target, platform, chat: chatId, thread: threadId ?? null, label, at: clock().now() })
  }

  send({ target, isOwners, ...letter }: OutboxMessage): QueuedMessage {
    return this.post({ ...letter, ...this.#resolve(target, isOwners) })
  }

  post(post: DirectOutboxMessage): QueuedMessage {
    const { store, files, mask, secretIn } = this.#deps
    const safe = withoutSecretLinks(mask(post.text), secretIn)
    for (const reason of safe.reasons) this.#note(post.trace, 'link', `a link was taken out: ${reason}`)
    const wanted = { text: safe.text, draft: post.isDraft ? 1 : 0, buttons: buttonsText(post, mask) }
    const before = store.byKey(post.key)
    const more = files.keep(withoutKnown(post.files, before).map((file) => this.#masked(file)))
    const number = store.step(() => {
      const known = store.byKey(post.key)
      if (!known) return this.#add(post, { ...wanted, files: JSON.stringify(more) })
      // A message that is repeated after a crash must not turn a final message into a draft.
      const isBehind = known.draft === 0 && wanted.draft === 1
      const isSame = known.text === wanted.text && known.draft === wanted.draft && known.buttons === wanted.buttons
      const isWhole = known.draft === 0 && known.files !== '[]'
      if (isBehind || isWhole || (isSame && more.length === 0)) return known.number
      const all = more.length > 0 ? JSON.stringify([...parseFiles(known), ...more]) : known.files
      const leaving = known.text === wanted.text ? known.leaving : null
      const next = { ...wanted, files: all, leaving }
      store.rewrite(known.number, next)
      const changed = (['buttons', 'draft'] as const).filter((each) => known[each] !== wanted[each])
      this.#cut({ ...known, ...next }, changed)
      return known.number
    })
    this.#couriers.get(post.platform)?.look()
    return { id: String(number), declined: this.#declined(number, post.platform) }
  }

  /** What the platform does not take, as far as it is known here. */
  #declined(number: number, name: string): QueuedMessage['declined'] {
    const platform = this.#platform(name)
    const message = this.#deps.store.message(number)
    if (!platform || !message || message.files === '[]') return []
    return planFiles(parseFiles(message), platform).declined.map(({ name: file, reason }) => ({ name: file, reason }))
  }

  #masked({ caption, ...file }: OutboxFile): OutboxFile {
    const { mask, secretIn } = this.#deps
    const name = mask(file.name)
    return caption === undefined
      ? { ...file, name }
      : { ...file, name, caption: withoutSecretLinks(mask(caption), secretIn).text }
  }

  fileIds(key: string): readonly string[] {
    const known = this.#deps.store.byKey(key)
    return known ? parseFiles(known).flatMap(({ id }) => id ?? []) : []
  }

  serve(platform: Platform): Registration {
    this.#couriers.get(platform.name)?.stop()
    const { store, clock, random, log } = this.#deps
    this.#epoch ??= random().uuid()
    this.#cutLeft(platform.name)
    const courier = new DeliveryQueue(platform, {
      log,
      store,
      clock: clock(),
      random: random(),
      epoch: this.#epoch,
      isShared: this.#deps.isShared(),
      note: ({ of }, stage, text, also) => this.#note(of.trace ?? undefined, stage, text, also),
      inWords: (file, reason) =>
        this.#deps.text().pieces(declinedText([{ name: file, reason }]), platform.limits)[0] ?? file,
      prepare: (message) => this.#preparation.prepare(message),
      settled: (part) => this.#settled(part),
      wake: () => this.#couriers.get(platform.name)?.look(),
    })
    this.#couriers.set(platform.name, courier)
    this.#watch()
    return toRegistration(() => {
      courier.stop()
      if (this.#couriers.get(platform.name) === courier) this.#couriers.delete(platform.name)
      if (this.#couriers.size === 0) this.#stopWatching()
    })
  }

  deliveries(filter: { state?: DeliveryState; key?: string; limit?: number } = {}): readonly Delivery[] {
    return this.#deps.store.list(filter).map(toDelivery)
  }

  counts(): Readonly<Record<Exclude<DeliveryState, 'delivered'>, number>> {
    const counts = this.#deps.store.counts()
    const of = (state: string) => counts.get(state) ?? 0
    return {
      pending: of('pending'),
      attempting: of('attempting'),
      uncertain: of('uncertain'),
      failed: of('failed'),
    }
  }

  retry(id: string): boolean {
    const part = this.#part(id)
    if (part?.state !== 'uncertain' && part?.state !== 'failed') return false
    const { store } = this.#deps
    store.step(() => store.change(part, { state: 'pending', doubt: 0, attempts: 0, nextAt: 0, error: null }))
    this.#note(part.of.trace ?? undefined, 'retry', 'a user requested it')
    this.#couriers.get(part.of.platform)?.look()
    return true
  }

  drop(id: string): boolean {
    const part = this.#part(id)
    if (!part || part.state === 'delivered' || part.state === 'attempting') return false
    const { store } = this.#deps
    store.step(() => store.change(part, { state: 'failed', error: 'given up by hand' }))
    this.#note(part.of.trace ?? undefined, 'failed', 'a user gave up on it')
    return true
  }

  async idle(): Promise<void> {
    for (const courier of [...this.#couriers.values()]) await courier.idle()
  }

  async close(): Promise<void> {
    this.#stopWatching()
    for (const courier of this.#couriers.values()) courier.stop()
    this.#couriers.clear()
    await this.#deps.store.close()
  }

  #add(post: DirectOutboxMessage, wanted: Pick<KeptMessage, 'text' | 'draft' | 'buttons' | 'files'>): number {
    const { store, clock } = this.#deps
    const row = {
      key: post.key,
      platform: post.platform,
      chat: post.chatId,
      thread: post.threadId ?? null,
      replyTo: post.replyTo ?? null,
      trace: post.trace ?? null,
      at: clock().now(),
      ...wanted,
    }
    const number = store.add(row)
    this.#cut({ number, leaving: null, ...row }, [])
    this.#note(post.trace, 'outbox', `kept for ${post.platform}:${post.chatId}`, [post.key])
    return number
  }

  /** A draft is sent only where it can be edited; what is for a platform that is not loaded here waits until it is. */
  #cut(message: KeptMessage, changed: readonly ('buttons' | 'draft')[]): void {
    const platform = this.#platform(message.platform)
    if (!platform || (message.draft === 1 && !platform.edit)) return
    const { store, text, clock } = this.#deps
    const leaving = { ...message, text: message.leaving ?? message.text }
    const parts = { message: leaving, platform, text: text(), files: parseFiles(message), at: clock().now(), changed }
    rewriteParts(store, parts)
  }

  #cutLeft(platform: string): void {
    const { store } = this.#deps
    store.step(() => {
      for (const message of store.uncut(platform)) this.#cut(message, [])
    })
  }

  #platform(name: string): Platform | undefined {
    return this.#deps.platforms().find((platform) => platform.name === name)
  }

  #resolve(target: string, isOwners: true | undefined): Pick<DirectOutboxMessage, 'platform' | 'chatId' | 'threadId'> {
    const known = this.#deps.store.destinations().find((each) => each.target === target)
    if (known) {
      const { platform, chat: chatId, thread } = known
      return thread === null ? { platform, chatId } : { platform, chatId, threadId: thread }
    }
    const [name = '', ...rest] = target.split(':')
    const platform = this.#platform(name)
    const chatId = rest.length === 0 && platform ? this.#deps.home(platform) : rest.join(':')
    if (platform && chatId && (isOwners || rest.length === 0)) return { platform: name, chatId }
    const names = this.destinations().map((each) => each.target)
    const message = `There is no chat "${target}" to send to. Chats: ${names.slice(0, 20).join(', ') || 'none'}.`
    throw new SvcError('OUTBOX_TARGET_UNKNOWN', message, { status: 404 })
  }

  #part(id: string): PartOfMessage | undefined {
    const [, message, part] = /^(\d+)\.(\d+)$/.exec(id) ?? []
    return message === undefined ? undefined : this.#deps.store.part(Number(message), Number(part))
  }

  #settled(part: PartOfMessage): void {
    const { store, files } = this.#deps
    // They are not requested again.
    if (part.state === 'delivered' && part.of.files !== '[]' && part.of.draft === 0 && store.isDelivered(part.message))
      files.drop(parseFiles(part.of))
    if (part.state === 'delivered' && part.of.draft === 1) return
    void this.#ctx.call(DeliveryFinished, toDelivery(part))
  }

  #note(trace: string | undefined, stage: string, text: string, also?: readonly string[]): void {
    if (trace !== undefined) this.#deps.trace(trace, stage, text, also)
  }

  #watch(): void {
    if (this.#unwatch) return
    const { store, files, clock } = this.#deps
    store.prune()
    const known = store.allFiles().flatMap((each) => parseFiles({ files: each }).map(({ path }) => path))
    files.sweep(new Set(known), clock().now())
    let version = store.version()
    const look = () => {
      const now = store.version()
      if (now !== version)
        for (const [name, courier] of this.#couriers) {
          this.#cutLeft(name)
          courier.look()
        }
      version = now
      this.#unwatch = clock().after(WATCH_MS, look, { background: true })
    }
    this.#unwatch = clock().after(WATCH_MS, look, { background: true })
  }

  #stopWatching(): void {
    void this.#unwatch?.()
    this.#unwatch = undefined
  }
}

function buttonsText({ buttons }: DirectOutboxMessage, mask: OutboxDeps['mask']): string | null {
  if (!buttons?.length) return null
  return JSON.stringify(buttons.map((button) => ({ ...button, label: mask(button.label) })))
}

/** Files that the message does not have yet. What has left or is about to leave gets no more of them. */
function withoutKnown(files: readonly OutboxFile[] = [], message: KeptMessage | undefined): readonly OutboxFile[] {
  if (!message) return files
  if (message.draft === 0) return []
  const known = new Set(parseFiles(message).map(({ id }: KeptFile) => id))
  return files.filter(({ id }) => id === undefined || !known.has(id))
}
