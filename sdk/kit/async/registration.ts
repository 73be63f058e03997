/** What undoes a registration, in the one form in which svc returns it. */
import type { Dispose, Registration } from '../../plugin.ts'

/**
 * A function that undoes something, as a `Registration`: it may be called, or declared with `using` or `await using`. Undoes
 * once; later calls return what the first one did.
 * @since 0.2
 */
export function toRegistration(dispose: Dispose): Registration {
  let ended: { readonly result: void | Promise<void> } | undefined
  const end = () => {
    ended ??= { result: dispose() }
    return ended.result
  }
  return Object.assign(() => end(), {
    [Symbol.dispose]: () => void end(),
    [Symbol.asyncDispose]: async () => end(),
  })
}
