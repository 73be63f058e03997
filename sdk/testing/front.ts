/** A front end that keeps what it was shown and answers as the test says. */

import type { ApprovalChoice } from '../approvals.ts'
import {
  type Conversation,
  type ConversationChange,
  type ConversationNotice,
  Conversations,
  type FrontEndHandlers,
} from '../conversations.ts'
import type { MessageOrigin } from '../platforms.ts'
import type { TurnEvent } from '../turn-events.ts'
import type { TestKernel } from './kernel.ts'

/** How the person at it answers; left out: the front end cannot ask that. @since 0.1 */
export interface FakePerson {
  readonly approve?: ApprovalChoice
  readonly answer?: string
  readonly confirm?: boolean
  /** The id of an item. */
  readonly choose?: string
  readonly ask?: string
  /** The text after the edit. */
  readonly edit?: string
}

/** The conversation and what came of it so far. @since 0.1 */
export interface FakeTalk {
  readonly conversation: Conversation
  readonly events: readonly TurnEvent[]
  readonly said: readonly ConversationNotice[]
  readonly changes: readonly ConversationChange[]
  /** Types lines one after the other, waits for the end of each, and returns what was said since. */
  type(...lines: readonly string[]): Promise<string>
  /** The texts of the answers so far. */
  answers(): readonly string[]
}

/** Opens a conversation; the kernel needs the plugin `conversation`. @since 0.1 */
export function fakeTalk(
  kernel: Pick<TestKernel, 'use' | 'home'>,
  options: {
    readonly person?: FakePerson
    readonly surface?: string
    readonly commands?: FrontEndHandlers['commands']
    readonly cwd?: string
    readonly sessionId?: string
    /** See `FrontEndHandlers.stays`. */
    readonly stays?: true
    /** Who types, where several people share the front end. */
    readonly by?: MessageOrigin
  } = {},
): FakeTalk {
  const { person = {}, surface = 'cli', commands = 'cli', cwd = kernel.home, sessionId, by, stays } = options
  const events: TurnEvent[] = []
  const said: ConversationNotice[] = []
  const changes: ConversationChange[] = []
  const { approve, answer, confirm, choose, ask, edit } = person
  const front: FrontEndHandlers = {
    surface,
    commands,
    ...(stays && { stays }),
    show: (event) => void events.push(event),
    say: (words) => void said.push(words),
    changed: (change) => void changes.push(change),
    ...(approve !== undefined && { approve: async () => approve }),
    ...(answer !== undefined && { answer: async () => answer }),
    ...(confirm !== undefined && { confirm: async () => confirm }),
    ...(choose !== undefined && { choose: async () => choose }),
    ...(ask !== undefined && { ask: async () => ask }),
    ...(edit !== undefined && { edit: async () => edit }),
  }
  const conversation = kernel.use(Conversations).start(front, { cwd, ...(sessionId !== undefined && { sessionId }) })
  return {
    conversation,
    events,
    said,
    changes,
    async type(...lines) {
      const before = said.length
      for (const line of lines) {
        await conversation.type(line, by ? { by } : {})
        await conversation.idle()
      }
      return said
        .slice(before)
        .map(({ text }) => text)
        .join('\n')
    },
    answers: () => events.flatMap((event) => (event.type === 'message.complete' ? [event.text] : [])),
  }
}
