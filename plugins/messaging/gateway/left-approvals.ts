/** Approvals that a turn asked for before svc stopped: they can be answered before the turn asks again. */
import { type ApprovalChoice, Approvals, type PluginContext } from 'svc/sdk'
import type { InboundMessage } from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import { plainWords } from './chat-questions.ts'
import type { Config } from './config.ts'
import { approvalWords, shortId } from './prompt-forms.ts'

/** What `answerLeft` needs to know of the message and of what stood in the chat when it was written. */
export interface LeftAnswer {
  readonly session: string | undefined
  readonly message: InboundMessage
  /** Whether the question with this short id was shown before the message was written. */
  wasShown(promptId: string): boolean
}

/** Takes a press or short words of a person who may approve as the answer to what the session waits for; false if they are not one. */
export function answerLeft(ctx: PluginContext<Config>, { session, message, wasShown }: LeftAnswer): boolean {
  const approvals = ctx.find(Approvals)
  const pending = approvals?.pending().filter(({ sessionId }) => sessionId === session) ?? []
  const { press, text, platform } = message
  const [id = '', pressed] = press?.split(':') ?? []
  const asked =
    press === undefined
      ? pending.find((request) => wasShown(shortId(request.id)))
      : pending.find((request) => shortId(request.id) === id)
  const choice = asked?.choices.find((each) => (press === undefined ? meansChoice(each, text) : each === pressed))
  if (!approvals || !asked || !choice) return false
  if (!ctx.use(Access).judge(message, { kind: 'command', name: 'approve' }).allow) return false
  approvals.answer(asked.id, choice, platform)
  return true
}

/** Whether the words are that answer. */
export function meansChoice(choice: ApprovalChoice, text: string): boolean {
  return approvalWords[choice].includes(plainWords(text))
}

/** Whether it only answers an approval. */
export function isApprovalWord({ press, text }: InboundMessage): boolean {
  const choices = Object.keys(approvalWords) as ApprovalChoice[]
  return press !== undefined || choices.some((choice) => meansChoice(choice, text))
}
