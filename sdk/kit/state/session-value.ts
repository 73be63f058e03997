/** A value of a plugin in the sessions that it is about. */
import { defineSessionState } from '../../session-state.ts'
import type { Sessions } from '../../sessions.ts'
import type { PluginSessionState, PluginSessionStateOptions } from '../../state.ts'
import { checkSchema, fromStored, toStored, UnusableContent } from './versioned.ts'

/**
 * `id` begins with the name of the plugin: `weather:place`. Throws `STATE_INVALID` for an initial value that does not fit.
 * @since 0.2
 */
export function createSessionState<T>(
  id: string,
  options: PluginSessionStateOptions<T>,
  sessions: () => Sessions,
): PluginSessionState<T> {
  const what = `the state "${id}" of a session`
  checkSchema(what, options)
  const state = defineSessionState<{ readonly value: T } | object>(id, {
    undo: options.undo ?? 'restores',
    parse: (stored) => {
      try {
        return { value: fromStored(what, options, stored) }
      } catch (error) {
        if (error instanceof UnusableContent) return undefined
        // It stays as it is: a later version of the plugin can read it, or a mended one migrate it.
        throw error
      }
    },
  })
  const read = (sessionId: string) => sessions().open(sessionId).state(state) as { readonly value: T } | undefined
  return {
    get: (sessionId) => read(sessionId)?.value ?? toStored(what, options, options.initial).value,
    set(sessionId, value) {
      read(sessionId)
      sessions()
        .open(sessionId)
        .setState(state, toStored(what, options, value).stored)
    },
  }
}
