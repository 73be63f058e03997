/** A list of items, which a queue of the store is compared with. */
import fc from 'fast-check'
import type { QueueItem, SharedDatabase, StoreQueue } from 'svc/sdk/store'
import { expect } from 'vitest'

type Command =
  | { readonly do: 'enqueue'; readonly key: number; readonly isLate: boolean }
  | { readonly do: 'claim'; readonly limit: number }
  | { readonly do: 'ack' | 'fail' | 'die' | 'repeat' | 'cancel'; readonly which: number }

interface Item {
  readonly id: string
  readonly key: string | undefined
  state: 'due' | 'late' | 'claimed' | 'dead' | 'done'
}

const which = fc.nat(5)
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constant('enqueue' as const), key: fc.nat(6), isLate: fc.boolean() }),
  fc.record({ do: fc.constant('claim' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constantFrom('ack', 'fail', 'die', 'repeat', 'cancel'), which }) as fc.Arbitrary<Command>,
)

class Model {
  readonly items: Item[] = []
  readonly held: QueueItem<number>[] = []
  readonly finished: QueueItem<number>[] = []
  readonly #queue: StoreQueue<number>

  constructor(queue: StoreQueue<number>) {
    this.#queue = queue
  }

  async follow(each: Command): Promise<void> {
    if (each.do === 'enqueue') return this.#enqueue(each.key < 4 ? `k${each.key}` : undefined, each.isLate)
    if (each.do === 'claim') return this.#claim(each.limit)
    if (each.do === 'cancel') return this.#cancel(each.which)
    if (each.do === 'repeat') return this.#repeat(each.which)
    return this.#end(each.do, each.which)
  }

  count(state: Item['state']): number {
    return this.items.filter((item) => item.state === state).length
  }

  async #enqueue(key: string | undefined, isLate: boolean): Promise<void> {
    const known = key === undefined ? undefined : this.items.find((item) => item.key === key)
    const got = await this.#queue.enqueue(1, { ...(key && { key }), ...(isLate && { delayMs: 1e7 }) })
    expect(got.isNew).toBe(known === undefined)
    if (known) expect(got.id).toBe(known.id)
    else this.items.push({ id: got.id, key, state: isLate ? 'late' : 'due' })
  }

  async #claim(limit: number): Promise<void> {
    const got = await this.#queue.claim({ limit, leaseMs: 1e7, holder: 'model' })
    expect(got.length).toBe(Math.min(limit, this.count('due')))
    for (const item of got) this.#set(item.id, 'due', 'claimed')
    this.held.push(...got)
  }

  async #end(how: 'ack' | 'fail' | 'die', which: number): Promise<void> {
    const [item] = this.held.splice(which, 1)
    if (!item) return
    this.finished.push(item)
    if (how === 'ack') await this.#queue.ack(item)
    else await this.#queue.fail(item, { error: 'no', dead: how === 'die' })
    this.#set(item.id, 'claimed', how === 'ack' ? 'done' : how === 'die' ? 'dead' : 'due')
  }

  /** A claim that is over cannot end the item again. */
  async #repeat(which: number): Promise<void> {
    const item = this.finished[which]
    if (item) await expect(this.#queue.ack(item)).rejects.toMatchObject({ code: 'STORAGE_LEASE_LOST' })
  }

  async #cancel(which: number): Promise<void> {
    const item = this.items[which]
    if (!item) return
    const isFree = ['due', 'late', 'dead'].includes(item.state)
    expect(await this.#queue.cancel(item.id)).toBe(isFree)
    if (isFree) this.items.splice(which, 1)
  }

  #set(id: string, from: Item['state'], to: Item['state']): void {
    const item = this.items.find((each) => each.id === id)
    expect(item?.state).toBe(from)
    if (item) item.state = to
  }
}

export const followModel = {
  commands: () => fc.array(command, { maxLength: 25 }),
  async run(store: Pick<SharedDatabase<never>, 'queue'>, name: string, commands: readonly Command[]): Promise<void> {
    const queue = store.queue<number>(name)
    const model = new Model(queue)
    for (const each of commands) await model.follow(each)
    expect(await queue.counts()).toEqual({
      due: model.count('due'),
      waiting: model.count('late'),
      claimed: model.count('claimed'),
      dead: model.count('dead'),
    })
  },
}
