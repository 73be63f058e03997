/** Registrations with a service that may be reloaded, switched off and switched on again. */

import type { Service } from './declarations.ts'
import { toRegistration } from './kit/async/registration.ts'
import type { Dispose, PluginContext, Registration } from './plugin.ts'
import { PluginsChanged } from './plugins.ts'

/**
 * Calls `attach` with the service now and with every later one that takes its place, so that what is registered there is
 * not lost with the plugin that provided it. What `attach` returns undoes its registration. The returned disposer ends both.
 * @since 0.1
 */
export function whileProvided<T>(
  ctx: Pick<PluginContext<never>, 'find' | 'on'>,
  token: Service<T>,
  attach: (service: T) => Dispose | undefined,
): Registration {
  let service: T | undefined
  let detach: Dispose | undefined
  const follow = () => {
    const found = ctx.find(token)
    if (found === service) return
    void detach?.()
    service = found
    detach = found && attach(found)
  }
  follow()
  const stop = ctx.on(PluginsChanged, follow)
  return toRegistration(async () => {
    await stop()
    await detach?.()
  })
}
