/** What people are asked in a chat, as prompts: pure functions of the requests of the conversation. */
import { createHash } from 'node:crypto'
import type { ApprovalChoice, ApprovalRequest, ChoiceDialog, Translate, UserQuestion } from 'svc/sdk'
import type { Prompt, TakenPrompt } from './prompts.ts'

/** Words that answer whether a tool may run. */
export const approvalWords: Readonly<Record<ApprovalChoice, readonly string[]>> = {
  once: ['yes', 'y', 'ok', 'approve', 'once'],
  session: ['session'],
  project: ['project'],
  always: ['always'],
  deny: ['no', 'n', 'deny'],
}

/** The subject of an approval is shown in full, in several messages if it is long, up to this length. */
const MAX_ACTION = 50_000
const MAX_MENU = 50

/** Why an approval cannot be asked for in a chat; undefined when it can. */
export function approvalProblem({ action, tool }: ApprovalRequest, t: Translate): string | undefined {
  if (action.length <= MAX_ACTION) return undefined
  const values = { tool, count: action.length }
  return t(
    '{tool} asks to run something of {count} characters. That is too long to be read here, so it is refused.',
    values,
  )
}

/** Whether a tool may run. Only people with the right to approve may answer. */
export function approvalPrompt({ id, tool, reason, action, covers, choices }: ApprovalRequest, t: Translate): Prompt {
  const labels: Readonly<Record<ApprovalChoice, Omit<Prompt['options'][number], 'id'>>> = {
    once: { label: t('Allow once'), words: approvalWords.once, style: 'primary' },
    session: { label: t('Allow for this conversation'), words: approvalWords.session },
    project: { label: t('Allow for this project'), words: approvalWords.project },
    always: { label: t('Always allow'), words: approvalWords.always },
    deny: { label: t('Deny'), words: approvalWords.deny, style: 'danger' },
  }
  const head = t('The agent asks to run {tool}: it {reason}.', { tool, reason })
  const lasting = covers === undefined ? '' : `\n\n${t('An answer for longer than once covers {covers}.', { covers })}`
  return {
    id: shortId(id),
    text: `${head}\n\n\`\`\`\n${action.replaceAll('```', "'''")}\n\`\`\`${lasting}\n\n${t('Answer here, or with /approve or /deny.')}`,
    options: choices.map((choice) => ({ id: choice, ...labels[choice] })),
    right: 'approve',
  }
}

/** A question of the model; any words answer it. */
export function questionPrompt({ id, text, choices }: UserQuestion): Prompt {
  return { id: shortId(id), text, options: choices.map((label, at) => ({ id: String(at), label })), isFree: true }
}

/** Yes or no; the answer is `yes` or `no`. */
export function confirmPrompt(id: string, text: string, t: Translate): Prompt {
  const options = [
    { id: 'yes', label: t('Yes'), words: ['yes', 'y', 'ok', 'once'], style: 'danger' as const },
    { id: 'no', label: t('No'), words: ['no', 'n', 'cancel'] },
  ]
  return { id, text, options, yields: true }
}

/** A menu; the answer is the place of an item in it. */
export function menuPrompt(id: string, { title, items, current }: ChoiceDialog): Prompt {
  const options = items.slice(0, MAX_MENU).map(({ label, detail, id: item }, at) => ({
    id: String(at),
    label: `${item === current ? '● ' : ''}${label}${detail ? ` (${detail})` : ''}`,
  }))
  return { id, text: title, options, yields: true }
}

/** The reply to a message that answers a question; undefined for none. */
export function answerNotice(taken: TakenPrompt, t: Translate): string | undefined {
  if (taken === 'forbidden') return t('You are not allowed to answer this.')
  if (taken === 'gone') return t('This question is no longer open.')
  if (taken !== 'early') return undefined
  return t('This was written before the question was shown, so it does not answer it. Answer once you have read it.')
}

/** What names a question within its buttons. */
export function shortId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 10)
}
