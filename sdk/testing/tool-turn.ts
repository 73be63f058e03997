/** The turn that a tool is run in by a test. */
import type { ToolContext } from '../tools.ts'
import { fakeTurn } from './turn.ts'

/** A turn without a front end, so that no person can be asked; pass what the test is about. @since 0.1 */
export function fakeToolTurn(turn: Partial<ToolContext> = {}): ToolContext {
  return {
    ...fakeTurn(),
    callId: 'call_1',
    key: 'turn_test:call_1',
    signal: new AbortController().signal,
    progress: () => undefined,
    emit: () => undefined,
    permit: async () => ({ allow: true }),
    origins: () => [],
    tools: () => [],
    groups: [],
    call: async (name) => ({ text: `No tool "${name}" here.`, failed: true }),
    child: () => {
      throw new Error('There is no agent here. Begin a subagent in a turn of testKernel.')
    },
    ...turn,
  }
}
