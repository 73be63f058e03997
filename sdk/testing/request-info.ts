/** A request that is about to be made, for tests of those who change it. */
import type { ModelRequestContext } from '../agent.ts'
import { unreachablePerson } from '../person.ts'

/** What is not given is of a small model in a session `s`. @since 0.1 */
export function fakeRequestInfo(given: Partial<ModelRequestContext> = {}): ModelRequestContext {
  return {
    sessionId: 's',
    turnId: 't',
    surface: 'cli',
    cwd: '/',
    purpose: 'user',
    person: unreachablePerson,
    provider: 'fake',
    model: 'fake-1',
    fixedTokens: 0,
    overflowed: false,
    signal: new AbortController().signal,
    emit: () => {},
    flush: () => {},
    ...given,
  }
}
