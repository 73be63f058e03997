/** The service `BackgroundProcesses`, whose work is imported when it is first used. */
import type { BackgroundProcesses } from 'svc/sdk/shell'
import type { Registry } from './registry.ts'

/** Hands every call on to the registry. */
export function lazyProcesses(registry: () => Promise<Registry>): BackgroundProcesses {
  return {
    start: async (request) => (await registry()).start(request),
    list: async (sessionId) => (await registry()).list(sessionId),
    get: async (id) => (await registry()).find(id).state(),
    output: async (id) => (await registry()).find(id).output.get(),
    wait: async (id, ms, signal) => (await registry()).wait(id, ms, signal),
    kill: async (id) => (await registry()).kill(id),
    forget: async (id) => (await registry()).forget(id),
  }
}
