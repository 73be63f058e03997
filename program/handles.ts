/**
 * Which timers, sockets, servers, watchers and child processes belong to which plugin. It follows every asynchronous
 * resource of the process, which costs speed: on for tests, `svc plugins verify` and `SVC_AUDIT=1` only.
 */
import { createHook } from 'node:async_hooks'
import { currentOwner, followOwners, type Owner } from '../kernel/owner.ts'

/** Names for people, by the type Node gives. */
const kinds: Readonly<Record<string, string>> = {
  Timeout: 'timers',
  TCPSERVERWRAP: 'servers',
  PIPESERVERWRAP: 'servers',
  TCPWRAP: 'sockets',
  TLSWRAP: 'sockets',
  PIPEWRAP: 'pipes',
  UDPWRAP: 'sockets',
  PROCESSWRAP: 'child processes',
  FSEVENTWRAP: 'file watchers',
  STATWATCHER: 'file watchers',
  WORKER: 'workers',
  SIGNALWRAP: 'signal handlers',
}

interface Handle {
  readonly owner: Owner
  readonly kind: string
  readonly resource: WeakRef<object>
}

/** So many noted timers are kept before those that are over are looked for. */
const SWEEP_AT = 1000

export class Handles {
  #open: Map<number, Handle> = new Map()
  /** Ids of what was noted: Node gives none below zero. */
  #lastNoted = 0
  #isOn = false
  #hook = createHook({
    init: (id, type, _trigger, resource) => {
      const kind = kinds[type]
      const owner = kind && currentOwner()
      if (owner) this.#open.set(id, { owner, kind, resource: new WeakRef(resource) })
    },
    destroy: (id) => void this.#open.delete(id),
  })

  start(): void {
    this.#isOn = true
    followOwners()
    this.#hook.enable()
  }

  /** A timer of a plugin, told by who set it; followed timers are known already. */
  note(owner: Owner, timer: object): void {
    if (this.#isOn) return
    this.#open.set(--this.#lastNoted, { owner, kind: 'timers', resource: new WeakRef(timer) })
    if (this.#lastNoted % SWEEP_AT !== 0) return
    for (const [id, { resource }] of this.#open) if (isOver(resource.deref())) this.#open.delete(id)
  }

  stop(): void {
    this.#isOn = false
    this.#hook.disable()
    this.#open.clear()
  }

  /** What one holds open is the other's from now on. */
  move(from: Owner, to: Owner): void {
    for (const [id, handle] of this.#open) if (handle.owner === from) this.#open.set(id, { ...handle, owner: to })
  }

  /** What keeps the process alive: counts by kind, by plugin. */
  heldOpen(): Map<string, Record<string, number>> {
    const all = new Map<string, Record<string, number>>()
    for (const { owner, kind, resource } of this.#open.values()) {
      if (!isAwaited(resource.deref())) continue
      const counts = all.get(owner.name) ?? {}
      counts[kind] = (counts[kind] ?? 0) + 1
      all.set(owner.name, counts)
    }
    return all
  }

  /** What a generation holds open, by kind. Timers that do not keep the process alive count too. */
  ownedBy(owner: Owner): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const [id, handle] of this.#open) {
      if (handle.owner !== owner) continue
      if (isOver(handle.resource.deref())) this.#open.delete(id)
      else counts[handle.kind] = (counts[handle.kind] ?? 0) + 1
    }
    return counts
  }
}

/** Whether it keeps the process alive. */
function isAwaited(resource: object | undefined): boolean {
  const { hasRef } = (resource ?? {}) as { hasRef?(): boolean }
  return !isOver(resource) && (typeof hasRef !== 'function' || hasRef.call(resource))
}

/** Node tells the end of a handle late; the object itself knows sooner. */
function isOver(resource: object | undefined): boolean {
  if (!resource) return true
  const { _destroyed, pid, exitCode } = resource as { _destroyed?: boolean; pid?: number; exitCode?: number | null }
  if (_destroyed === true) return true
  return pid === 0 || (pid === undefined && typeof exitCode === 'number')
}
