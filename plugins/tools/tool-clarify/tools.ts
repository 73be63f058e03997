/** The tool `clarify`, as the model is told of it. */
import {
  type Clock,
  defineTool,
  type Questions,
  type Tool,
  type ToolResult,
  type UnansweredReason,
  type UserQuestion,
} from 'svc/sdk'
import { z } from 'zod'
import type { Config } from './config.ts'
import { clarifyView } from './view.ts'

/** A person may always answer in free text instead. */
const MAX_CHOICES = 4

const input = z.object({
  question: z.string().trim().min(1),
  choices: z.array(z.string().trim().min(1)).max(MAX_CHOICES).default([]),
})
type Input = z.infer<typeof input>

/** Makes the tool. The id of a question is the key of its call, so a call that is resumed asks the same question. */
export function clarifyTool(
  { questions, clock }: { readonly questions: () => Questions; readonly clock: () => Clock },
  { timeout }: Config,
): Tool {
  return defineTool<Input>({
    name: 'clarify',
    knownAs: [{ name: 'AskUserQuestion' }],
    description: 'Ask the user when only they can decide. They may answer in their own words.',
    input,
    effect: 'idempotent',
    toolset: 'clarify',
    reach: 'nothing',
    view: clarifyView,
    // A client of the API waits for an answer, not for a question; a scheduled run is not watched.
    scope: { core: true, strangers: true, planning: true, notOn: ['api', 'cron', 'subagent'] },
    run: async (asked, turn) => {
      if (!questions().reaches(turn.sessionId)) return createUnansweredResult(asked, 'nobody', timeout)
      const question: UserQuestion = {
        id: turn.key,
        sessionId: turn.sessionId,
        turnId: turn.turnId,
        text: asked.question,
        choices: [...new Set(asked.choices)],
        expiresAt: clock().now() + timeout * 1000,
      }
      turn.emit({ type: 'clarify.request', question })
      const answer = await questions().ask(question, turn.signal)
      if (typeof answer === 'string') return createUnansweredResult(asked, answer, timeout)
      turn.emit({ type: 'clarify.answer', id: question.id, text: answer.text, by: answer.by })
      return { text: answer.text || '(an empty answer)', data: createData(asked, answer.text) }
    },
  })
}

function createData({ question, choices }: Input, response?: string): object {
  return { question, choices_offered: choices, ...(response !== undefined && { user_response: response }) }
}

function createUnansweredResult(asked: Input, why: UnansweredReason, timeout: number): ToolResult {
  return { text: SENTENCES[why](timeout), data: createData(asked), failed: true }
}

const SENTENCES: Readonly<Record<UnansweredReason, (timeout: number) => string>> = {
  nobody: () => 'No person is available to answer. Decide as well as you can and say what you assumed.',
  timeout: (seconds) =>
    `No answer came within ${seconds} s. Decide as well as you can and say what you assumed, or stop here.`,
  interrupted: () => 'Not answered: the turn was interrupted.',
}
