/** Approvals that a turn asked for before svc stopped: they can be answered before the turn asks again. */
import { type ApprovalChoice, Approvals, type Inbound, type PluginContext } from 'svc/sdk'
import type { Config } from './config.ts'
import { approvalWords, shortId } from './front.ts'
import { plainWords } from './prompts.ts'

/** Takes a press or short words as the answer to what the session waits for; false when they are none. */
export function answerLeft(ctx: PluginContext<Config>, session: string | undefined, message: Inbound): boolean {
  const approvals = ctx.find(Approvals)
  const pending = approvals?.pending().filter(({ sessionId }) => sessionId === session) ?? []
  const { press, text, platform } = message
  const [id = '', pressed] = press?.split(':') ?? []
  const asked = press === undefined ? pending[0] : pending.find((request) => shortId(request.id) === id)
  const choice = asked?.choices.find((each) => (press === undefined ? means(each, text) : each === pressed))
  if (!approvals || !asked || !choice) return false
  approvals.answer(asked.id, choice, platform)
  return true
}

function means(choice: ApprovalChoice, text: string): boolean {
  return approvalWords[choice].includes(plainWords(text))
}

/** Whether it is no more than an answer to whether a tool may run. */
export function isApprovalWord({ press, text }: Inbound): boolean {
  const choices = Object.keys(approvalWords) as ApprovalChoice[]
  return press !== undefined || choices.some((choice) => means(choice, text))
}
