/** Slash commands for questions: `/yolo` does without them, `/approve` and `/deny` answer them in a chat. */
import type { ApprovalChoice, CommandContext, SlashCommand, Translate } from 'svc/sdk'
import type { StatusItem } from 'svc/sdk/terminal'
import type { PendingApprovals } from './pending-approvals.ts'
import type { Unasked } from './unasked.ts'

export function approvalSlashCommands(pending: PendingApprovals, unasked: Unasked, t: Translate): SlashCommand[] {
  return [
    {
      name: 'yolo',
      description: 'Run dangerous commands in this conversation without asking, or ask again',
      category: 'Configuration',
      async run(_args, { conversation }) {
        const isOff = unasked.toggle(conversation.sessionId)
        conversation.front.changed('settings')
        if (isOff)
          return t(
            'Commands in this conversation now run without asking. Commands that would destroy the machine stay blocked.',
          )
        return pending.asksNothing(conversation.sessionId)
          ? t('svc was started with --yolo: commands run without asking until it exits.')
          : t('Dangerous commands ask for approval again.')
      },
    },
    {
      name: 'approve',
      description: 'Approve a request of the agent',
      category: 'Session',
      argsHint: '[all] [session|project|always]',
      subcommands: ['all', 'session', 'project', 'always'],
      surfaces: ['gateway'],
      run: async (words, at) => {
        const { isAll, rest } = parseAll(words)
        const choice = APPROVED.find((each) => each === (rest || 'once').toLowerCase())
        return choice
          ? answer(pending, at, { choice, isAll }, t)
          : t('Type /approve, /approve session, /approve project or /approve always.')
      },
    },
    {
      name: 'deny',
      description: 'Deny a request of the agent',
      category: 'Session',
      argsHint: '[all] [reason]',
      subcommands: ['all'],
      surfaces: ['gateway'],
      run: async (words, at) => {
        const { isAll, rest } = parseAll(words)
        return answer(pending, at, { choice: 'deny', isAll, reason: rest }, t)
      },
    },
  ]
}

const APPROVED = ['once', 'session', 'project', 'always'] as const satisfies readonly ApprovalChoice[]

/** `all`, and what follows it. */
function parseAll(words: string): { readonly isAll: boolean; readonly rest: string } {
  const [, all, rest = ''] = /^\s*(all\b)?\s*([\s\S]*?)\s*$/i.exec(words) ?? []
  return { isAll: all !== undefined, rest }
}

/** Shown while questions are off. */
export function yoloItem(pending: PendingApprovals): StatusItem {
  return {
    name: 'yolo',
    order: 10,
    line: ({ sessionId }) => (pending.asksNothing(sessionId) ? [{ text: '⚠ YOLO', role: 'status-bad' }] : undefined),
  }
}

interface RequestedChoice {
  readonly choice: ApprovalChoice
  readonly isAll: boolean
  readonly reason?: string
}

/** Answers the oldest question of this conversation, or all of them. */
function answer(
  approvals: PendingApprovals,
  { conversation }: CommandContext,
  { choice, isAll, reason }: RequestedChoice,
  t: Translate,
): string {
  const { front, sessionId } = conversation
  const pending = approvals.pending().filter((request) => request.sessionId === sessionId)
  const open = pending.filter(({ id }) => front.wasShown?.(id) ?? true)
  if (open.length === 0 && pending.length > 0)
    return t('This was written before the question was shown, so it does not answer it. Answer once you have read it.')
  if (open.length === 0) return t('Nothing waits for an answer.')
  const answered = (isAll ? open : open.slice(0, 1)).filter(({ choices }) => choices.includes(choice))
  if (answered.length === 0) return t('This cannot be allowed for good. Type /approve or /deny.')
  for (const { id } of answered) approvals.answer(id, choice, front.surface, reason)
  if (choice === 'deny') return t('Refused.')
  return t('Allowed: {action}', { action: answered.map(({ action }) => action.slice(0, 200)).join('; ') })
}
