/** What one plugin sees of another's service: it works for its provider, and what it registers ends with the caller. */

import type { Service, ServiceCaller } from '../sdk/declarations.ts'
import { SvcError } from '../sdk/errors.ts'
import type { Dispose } from '../sdk/plugin.ts'
import { isFollowing, kernelOwner, type Owner, runAs } from './owner.ts'

type AnyService = Service<object>
type Members = Record<PropertyKey, unknown>

/** Facades by service object and viewer, so that two uses give the same one. */
const made: WeakMap<object, WeakMap<Owner, object>> = new WeakMap()

/** The service for a viewer: the object itself if it needs no wrapping, otherwise a read-only view. */
export function facade<T>(token: Service<T>, target: T, provider: Owner, viewer: Owner): T {
  // The next generation of a plugin takes over from the one before.
  const isPlain = viewer === kernelOwner || provider.name === viewer.name || token.shared === true
  const isForeign = viewer.named !== undefined || provider.named !== undefined
  if (isPlain || (!isForeign && !token.registers && !token.callers && !isFollowing())) return target
  const byViewer = made.get(target as object) ?? new WeakMap<Owner, object>()
  made.set(target as object, byViewer)
  const known = byViewer.get(viewer)
  if (known) return known as T
  const view = new Proxy({}, new View(token as AnyService, target as Members, provider, viewer))
  byViewer.set(viewer, view)
  return view as T
}

/** Throws `SERVICE_NOT_NAMED` for a plugin of a user whose manifest does not name the service, or `SERVICE_CLOSED`. */
export function checkDeclared<T>(
  token: Service<T>,
  viewer: Owner,
  member?: PropertyKey,
  given: readonly unknown[] = [],
): void {
  if (!viewer.named) return
  if (token.closed) throw new SvcError('SERVICE_CLOSED', `${viewer.name} may not use the service "${token.id}".`)
  if (viewer.named.has(token.id) || token.free === true) return
  if (token.free && (member === undefined || token.free.includes(String(member)))) return
  if (isOwn(token, viewer, member, given)) return
  const what = member === undefined ? `the service "${token.id}"` : `"${String(member)}" of the service "${token.id}"`
  throw new SvcError(
    'SERVICE_NOT_NAMED',
    `${viewer.name} uses ${what}, which its plugin.json does not name. Add "${token.id}" to its requires, wants or uses.`,
  )
}

/** Whether the call is about something that the plugin itself contributes. */
function isOwn(
  { own }: Service<unknown>,
  viewer: Owner,
  member: PropertyKey | undefined,
  given: readonly unknown[],
): boolean {
  const keys = (own && viewer.contributes?.[own.point]) ?? []
  if (member === undefined) return keys.length > 0
  return own?.members.includes(String(member)) === true && keys.includes(String(given[0]))
}

/** The object behind the facade is not exposed, so no plugin can replace a method of a shared object. */
class View implements ProxyHandler<object> {
  readonly #token: AnyService
  readonly #target: Members
  readonly #provider: Owner
  readonly #viewer: Owner
  readonly #methods: Map<PropertyKey, { readonly of: unknown; readonly call: unknown }> = new Map()

  constructor(token: AnyService, target: Members, provider: Owner, viewer: Owner) {
    this.#token = token
    this.#target = target
    this.#provider = provider
    this.#viewer = viewer
  }

  get(_: object, key: PropertyKey): unknown {
    if (key === 'constructor') return Object
    const value = this.#target[key]
    if (typeof value !== 'function') return value
    // Where it depends on what is asked for, the call is checked.
    const isChecked = this.#token.own?.members.includes(String(key)) === true
    if (!isChecked) checkDeclared(this.#token, this.#viewer, key)
    const known = this.#methods.get(key)
    if (known?.of === value) return known.call
    const namesCaller = this.#token.callers?.includes(String(key)) === true
    const call = (...given: unknown[]) => {
      if (isChecked) checkDeclared(this.#token, this.#viewer, key, given)
      const passed = namesCaller ? [given[0], toServiceCaller(this.#viewer), ...given.slice(2)] : given
      return this.#called(
        key,
        runAs(this.#provider, () => value.apply(this.#target, passed)),
      )
    }
    this.#methods.set(key, { of: value, call })
    return call
  }

  has(_: object, key: PropertyKey): boolean {
    return key in this.#target
  }

  set(): boolean {
    return false
  }

  defineProperty(): boolean {
    return false
  }

  deleteProperty(): boolean {
    return false
  }

  setPrototypeOf(): boolean {
    return false
  }

  #called(key: PropertyKey, result: unknown): unknown {
    const { adopt } = this.#viewer
    if (!adopt || !this.#token.registers?.includes(String(key))) return result
    if (result instanceof Promise) return result.then((value) => adoptDisposers(value, adopt))
    return adoptDisposers(result, adopt)
  }
}

function toServiceCaller({ name, named }: Owner): ServiceCaller {
  return { plugin: name, isForeign: named !== undefined }
}

/** A disposer, or what has one, ends with the caller from now on. */
function adoptDisposers(value: unknown, adopt: NonNullable<Owner['adopt']>): unknown {
  if (typeof value === 'function') return adopt(value as Dispose)
  const closing = value as ({ readonly close?: Dispose } & Members) | undefined
  if (typeof closing?.close !== 'function') return value
  const close = adopt(() => closing.close?.())
  const ends = [Symbol.dispose, Symbol.asyncDispose].filter((key) => key in closing)
  return { ...closing, close, ...Object.fromEntries(ends.map((key) => [key, close[key as typeof Symbol.dispose]])) }
}
