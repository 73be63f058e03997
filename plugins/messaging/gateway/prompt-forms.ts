/** What people are asked in a chat, as prompts: pure functions of the requests of the conversation. */
import { createHash } from 'node:crypto'
import type { ApprovalChoice, ApprovalRequest, ChoiceDialog, Translate, UserQuestion } from 'svc/sdk'
import type { DialogOptions } from 'svc/sdk/sessions'
import { formatDuration } from 'svc/sdk/terminal'
import type { Prompt, TakenPrompt } from './chat-questions.ts'

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

/** How a dialog waits for its answer. */
export type PromptTerms = Pick<Prompt, 'right' | 'yields' | 'isTimed'> & { readonly note: string }

/**
 * What a command asks may be ignored: any other message ends it. What a turn asks stays open, as the turn waits for it.
 */
export function readTerms(options: DialogOptions | undefined, now: number, t: Translate): PromptTerms {
  const { expiresAt, command } = options ?? {}
  const isTimed = expiresAt !== undefined
  const time = formatDuration(Math.max(0, (expiresAt ?? now) - now))
  const note = isTimed ? `\n\n${t('Answer within {time}.', { time })}` : ''
  const isOptional = options === undefined || command !== undefined
  return {
    note,
    isTimed,
    ...(isOptional && { yields: true as const }),
    ...(command !== undefined && { right: command }),
  }
}

/** Yes or no; the answer is `yes` or `no`. */
export function confirmPrompt(id: string, text: string, { note, ...terms }: PromptTerms, t: Translate): Prompt {
  const options = [
    { id: 'yes', label: t('Yes'), words: ['yes', 'y', 'ok', 'once'], style: 'danger' as const },
    { id: 'no', label: t('No'), words: ['no', 'n', 'cancel'] },
  ]
  return { id, text: `${text}${note}`, options, ...terms }
}

/** A menu; the answer is the place of an item in it. */
export function menuPrompt(
  id: string,
  { title, items, current }: ChoiceDialog,
  { note, ...terms }: PromptTerms,
): Prompt {
  const options = items.slice(0, MAX_MENU).map(({ label, detail, id: item }, at) => ({
    id: String(at),
    label: `${item === current ? '● ' : ''}${label}${detail ? ` (${detail})` : ''}`,
  }))
  return { id, text: `${title}${note}`, options, ...terms }
}

/** A text; any words are the answer. */
export function textPrompt(id: string, text: string, { note, ...terms }: PromptTerms): Prompt {
  return { id, text: `${text}${note}`, options: [], isFree: true, ...terms }
}

/** The answer of an edit that leaves the text as it is. */
export const KEEP = 'keep'

/** A text that is replaced: any words are the new one. */
export function editPrompt(
  id: string,
  { title, text }: { readonly title: string; readonly text: string },
  { note, ...terms }: PromptTerms,
  t: Translate,
): Prompt {
  if (text === '') return textPrompt(id, title, { note, ...terms })
  const shown = `${title}\n\n\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\`\n\n${t('Answer with the new text.')}${note}`
  return { id, text: shown, options: [{ id: KEEP, label: t('Keep it as it is') }], isFree: true, ...terms }
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
