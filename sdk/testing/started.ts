/** What a piece of work starts that keeps the process alive: the measure that needs no help from the kernel. */
import { AsyncLocalStorage, createHook } from 'node:async_hooks'

/** Requests and the like end by themselves. */
const lasting = /^(Timeout|TCP|TLS|PIPE|UDP|PROCESS|FSEVENT|STATWATCHER|WORKER|SIGNAL)/
const PATIENCE_MS = 1500

/** Its kinds, by the names Node gives; empty when it is all gone after a moment, or does not keep the process alive. */
export async function startedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const context = new AsyncLocalStorage<true>()
  const open = new Map<number, { readonly kind: string; readonly resource: WeakRef<object> }>()
  const hook = createHook({
    init: (id, kind, _trigger, resource) => {
      if (lasting.test(kind) && context.getStore()) open.set(id, { kind, resource: new WeakRef(resource) })
    },
    destroy: (id) => void open.delete(id),
  }).enable()
  try {
    await context.run(true, work)
    for (const end = performance.now() + PATIENCE_MS; ; ) {
      const kinds = [...open.values()].filter(({ resource }) => keepsAlive(resource.deref())).map(({ kind }) => kind)
      if (!kinds.length || performance.now() > end) return kinds
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  } finally {
    hook.disable()
  }
}

function keepsAlive(resource: object | undefined): boolean {
  const { _destroyed, hasRef } = (resource ?? { _destroyed: true }) as { _destroyed?: boolean; hasRef?: () => boolean }
  return _destroyed !== true && hasRef?.call(resource) === true
}
