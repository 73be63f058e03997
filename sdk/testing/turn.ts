/** The turn that a hook is called in by a test. */
import type { TurnContext } from '../agent.ts'
import { unreachablePerson } from '../person.ts'

/** A user's turn at a terminal; pass what the test is about. @since 0.2 */
export function fakeTurn(turn: Partial<TurnContext> = {}): TurnContext {
  return {
    sessionId: 'ses_test',
    turnId: 'turn_test',
    surface: 'cli',
    cwd: '/',
    model: { provider: 'fake', model: 'fake-1' },
    purpose: 'user',
    person: unreachablePerson,
    ...turn,
  }
}
