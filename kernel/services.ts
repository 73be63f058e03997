/** Who provides what. Awilix makes each service once, on first use; a container per generation, so it goes with it. */
import { type AwilixContainer, asFunction, createContainer } from 'awilix'
import { LIST_COMMAND } from '../sdk/advice.ts'
import type { Service } from '../sdk/declarations.ts'
import { SvcError } from '../sdk/errors.ts'
import type { Dispose } from '../sdk/plugin.ts'
import { kernelOwner, type Owner, runAs, sees } from './owner.ts'
import { type OnReplacementError, Replacements, type Served } from './replacements.ts'
import { checkDeclared, facade } from './service-view.ts'

interface Offer {
  owner: Owner
  /** As the provider declares it: what a caller declares does not count. */
  token: Service<object>
  container: AwilixContainer
}

export class Services {
  #offers: Map<string, Offer[]> = new Map()
  readonly #wraps: Map<string, Replacements> = new Map()
  readonly #onError: OnReplacementError
  #root: AwilixContainer = createContainer({ strict: true })

  constructor(onError: OnReplacementError = () => {}) {
    this.#onError = onError
  }

  /** Puts a service around another one, whether that is provided yet or not. Throws `REPLACEMENT_REFUSED`. */
  wrap<T extends object>(token: Service<T>, owner: Owner, make: (inner: T) => T): Dispose {
    const all = this.#wraps.get(token.id) ?? new Replacements(`the service "${token.id}"`, this.#onError)
    if (all.has(owner)) throw new SvcError('SERVICE_TAKEN', `${owner.name} wraps "${token.id}" twice.`)
    const offer = this.#offer(token.id, owner)
    const reason = wrapProblem(offer?.token ?? token, offer?.owner)
    if (reason)
      throw new SvcError('REPLACEMENT_REFUSED', `${owner.name} cannot wrap the service "${token.id}": ${reason}.`)
    this.#wraps.set(token.id, all)
    const undo = all.add(owner, make as (inner: never) => unknown)
    return () => {
      undo()
      if (all.isEmpty) this.#wraps.delete(token.id)
    }
  }

  provide<T extends object>(token: Service<T>, owner: Owner, make: () => T): Dispose {
    const offers = this.#offers.get(token.id) ?? []
    const taken = offers.find((offer) => offer.owner.state !== 'retired' && !replaces(owner, offer.owner))
    if (taken)
      throw new SvcError('SERVICE_TAKEN', `${owner.name} provides "${token.id}", but ${taken.owner.name} already does.`)
    const container = this.#root.createScope()
    container.register(token.id, asFunction(() => runAs(owner, make)).scoped())
    const offer: Offer = { owner, token, container }
    this.#offers.set(token.id, [...offers, offer])
    return () => {
      const left = (this.#offers.get(token.id) ?? []).filter((other) => other !== offer)
      if (left.length) this.#offers.set(token.id, left)
      else this.#offers.delete(token.id)
    }
  }

  /** Throws `SERVICE_NOT_NAMED`. */
  find<T>(token: Service<T>, viewer: Owner): T | undefined {
    const offer = this.#offer(token.id, viewer)
    const declared = (offer?.token ?? token) as Service<T>
    checkDeclared(declared, viewer)
    if (!offer) return undefined
    const original = { item: offer.container.resolve<T>(token.id), owner: offer.owner }
    const wraps = this.#wraps.get(token.id)
    if (!wraps || wrapProblem(declared, offer.owner)) return facade(declared, original.item, offer.owner, viewer)
    const hand = (served: Served, to: Owner) => facade(declared, served.item as T, served.owner, to)
    const { item, owner } = wraps.apply(original, viewer, hand, checkObject)
    return facade(declared, item as T, owner, viewer)
  }

  /** Whether a plugin provides the service; does not create it. */
  has(id: string, viewer: Owner): boolean {
    return this.#offer(id, viewer) !== undefined
  }

  #offer(id: string, viewer: Owner): Offer | undefined {
    if (viewer.unfit?.has(id)) return undefined
    return this.#offers.get(id)?.findLast((candidate) => sees(viewer, candidate.owner))
  }

  use<T>(token: Service<T>, viewer: Owner): T {
    const found = this.find(token, viewer)
    if (found !== undefined) return found
    throw new SvcError('SERVICE_UNAVAILABLE', `Nothing provides "${token.id}" now. \`${LIST_COMMAND}\` shows why.`, {
      status: 503,
    })
  }

  /** Ids of the services of one generation. */
  ownedBy(owner: Owner): string[] {
    const ids: string[] = []
    // Asked for each plugin at every start: no list of all services is made for it.
    this.#offers.forEach((offers, id) => {
      if (offers.some((offer) => offer.owner === owner)) ids.push(id)
    })
    return ids
  }
}

/** Why nothing may be put around a service, as the end of a sentence. */
function wrapProblem(
  { closed, callers }: Pick<Service<unknown>, 'closed' | 'callers'>,
  provider: Owner | undefined,
): string | undefined {
  if (closed) return 'it is closed'
  if (callers) return 'it depends on which plugin calls it'
  if (provider === kernelOwner) return 'it is part of the kernel'
  return provider?.isGuard ? `${provider.name} guards svc with it` : undefined
}

function checkObject(value: unknown): void {
  if (typeof value === 'object' && value !== null) return
  throw new SvcError('PLUGIN_FAILED', 'what wraps a service must be an object')
}

/** A new generation of the same plugin may stand beside the one it replaces. */
export function replaces(owner: Owner, other: Owner): boolean {
  return owner.name === other.name && owner.generation !== other.generation
}
