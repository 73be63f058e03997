/** Questions and approvals as clients get them, with the same names and fields in runs, chats, responses and sessions. */
import type { ApprovalChoice, ApprovalRequest, TurnEvent, UserQuestion } from 'svc/sdk'
import { seconds } from './envelope.ts'

type Mask = (text: string) => string

/** An event about what is asked: its name, and its fields. */
export type QuestionEvent = readonly [name: string, fields: object]

/** Undefined for an event that is about something else. */
export function toQuestionEvent(each: TurnEvent, mask: Mask): QuestionEvent | undefined {
  switch (each.type) {
    case 'approval.request':
      return ['approval.request', formatApproval(each.request, mask)]
    case 'approval.answer':
      return ['approval.responded', { approval_id: each.id, choice: each.choice, by: each.by, resolved: 1 }]
    case 'clarify.request':
      return ['clarify.request', formatQuestion(each.question, mask)]
    case 'clarify.answer':
      return ['clarify.responded', { question_id: each.id, by: each.by }]
    default:
      return undefined
  }
}

export function formatQuestion({ id, text, choices, form, expiresAt }: UserQuestion, mask: Mask): object {
  return {
    question_id: id,
    question: mask(text),
    choices: choices.map(mask),
    kind: form?.kind ?? 'any',
    ...(form?.kind === 'edit' && { text: mask(form.text) }),
    ...(expiresAt !== undefined && { expires_at: seconds(expiresAt) }),
  }
}

export function formatApproval(
  { id, tool, action, reason, choices, covers, expiresAt }: ApprovalRequest,
  mask: Mask,
): object {
  return {
    approval_id: id,
    tool,
    command: mask(action),
    description: reason,
    choices,
    ...(covers !== undefined && { covers }),
    expires_at: seconds(expiresAt),
  }
}

export const CHOICES = ['once', 'session', 'project', 'always', 'deny'] as const satisfies readonly ApprovalChoice[]

/** Other words for `once`. */
const agreed = new Set(['approve', 'approved', 'allow'])

/** What a client says to an approval; undefined when it is no choice. */
export function readApprovalChoice(text: string): ApprovalChoice | undefined {
  return agreed.has(text) ? 'once' : CHOICES.find((each) => each === text)
}
