/** Slash commands for questions: `/yolo` does without them, `/approve` and `/deny` answer them in a chat. */
import type { ApprovalChoice, CommandPlace, Disposer, SlashCommand, StatusItem, Translate } from 'svc/sdk'
import type { Desk } from './desk.ts'

/** What sessions do without questions, and how that ends. */
export class Unasked {
  readonly #desk: Desk
  readonly #ends: Map<string, Disposer> = new Map()

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** Whether questions are off for the session afterwards. */
  async toggle(sessionId: string): Promise<boolean> {
    const end = this.#ends.get(sessionId)
    if (!end) {
      this.#ends.set(sessionId, this.#desk.askNothing(sessionId))
      return true
    }
    this.#ends.delete(sessionId)
    await end()
    return false
  }
}

export function approvalSlashCommands(desk: Desk, t: Translate): SlashCommand[] {
  const unasked = new Unasked(desk)
  return [
    {
      name: 'yolo',
      description: 'Run dangerous commands of this conversation unasked, or ask again',
      category: 'Configuration',
      async run(_args, { conversation }) {
        const isOff = await unasked.toggle(conversation.sessionId)
        conversation.front.changed('settings')
        if (isOff)
          return t('Nothing is asked in this conversation any more. What destroys the machine is still never run.')
        return desk.asksNothing(conversation.sessionId)
          ? t('svc was started with --yolo: nothing is asked until it ends.')
          : t('Dangerous commands are asked about again.')
      },
    },
    {
      name: 'approve',
      description: 'Allow what the agent asks for',
      category: 'Session',
      argsHint: '[session|project|always]',
      subcommands: ['session', 'project', 'always'],
      surfaces: ['gateway'],
      run: async (word, at) => {
        const choice = (['once', 'session', 'project', 'always'] as const).find(
          (each) => each === (word || 'once').toLowerCase(),
        )
        return choice
          ? answer(desk, at, choice, t)
          : t('Type /approve, /approve session, /approve project or /approve always.')
      },
    },
    {
      name: 'deny',
      description: 'Refuse what the agent asks for',
      category: 'Session',
      argsHint: '[all]',
      subcommands: ['all'],
      surfaces: ['gateway'],
      run: async (_word, at) => answer(desk, at, 'deny', t),
    },
  ]
}

/** Shown while questions are off. */
export function yoloItem(desk: Desk): StatusItem {
  return {
    name: 'yolo',
    order: 10,
    line: ({ sessionId }) => (desk.asksNothing(sessionId) ? [{ text: '⚠ YOLO', role: 'status-bad' }] : undefined),
  }
}

/** The oldest question of this conversation; a refusal holds for all of them. */
function answer(desk: Desk, { conversation }: CommandPlace, wanted: ApprovalChoice, t: Translate): string {
  const pending = desk.pending().filter(({ sessionId }) => sessionId === conversation.sessionId)
  const { front } = conversation
  const open = pending.filter(({ id }) => front.wasShown?.(id) ?? true)
  const [first] = open
  if (!first && pending.length > 0)
    return t('This was written before the question was shown, so it does not answer it. Answer once you have read it.')
  if (!first) return t('Nothing waits for an answer.')
  if (!first.choices.includes(wanted)) return t('This cannot be allowed for good. Type /approve or /deny.')
  for (const { id } of wanted === 'deny' ? open : [first]) desk.answer(id, wanted, conversation.front.surface)
  return wanted === 'deny' ? t('Refused.') : t('Allowed: {action}', { action: first.action.slice(0, 200) })
}
