/** Whose change of a skill it is, and who agrees to it. */
import { SvcError, type ToolContext } from 'svc/sdk'
import type { ManageInput } from './manage-input.ts'
import type { StagedWrites } from './staged/store.ts'

/** What a person agrees to. */
export interface Change {
  /** A phrase: `change SKILL.md of the skill release-notes`. */
  readonly what: string
  /** As a unified diff; empty where a skill is retired. */
  readonly diff: string
  /** What the scan found. */
  readonly findings: readonly string[]
}

export interface Writer {
  readonly sessionId: string
  /** Left out: the model. What a person writes is the person's own. */
  readonly author?: 'person'
  readonly signal: AbortSignal
  /** The staged change that this is, so that a second try after a crash is known as one. */
  readonly stagedId?: string
  origins(): readonly string[]
  /** Undefined: the change is made now. A text: it is not, and this is told to the model. Throws `SKILL_REFUSED`. */
  agree(change: Change): Promise<string | undefined>
}

export interface TurnWriterDeps {
  readonly staged: StagedWrites
  /** Each change waits for a person. */
  readonly needsApproval: boolean
}

/**
 * The model of a turn. A person is asked where the model has read text of others and where the scan found harm; where no answer comes, and
 * always where the user wants that, the change waits.
 */
export function turnWriter({ staged, needsApproval }: TurnWriterDeps, input: ManageInput, turn: ToolContext): Writer {
  const stage = async ({ what, diff, findings }: Change) => {
    const origins = [...turn.origins()]
    const write = { sessionId: turn.sessionId, input, what, diff, findings: [...findings], origins }
    const { id } = await staged.add(write)
    const message = `It waits for the user, who decides with /skills approve ${id}. Until then the skill is as it was. Do not try it again.`
    return JSON.stringify({ success: true, staged: true, pending_id: id, message })
  }
  return {
    sessionId: turn.sessionId,
    signal: turn.signal,
    origins: () => turn.origins(),
    async agree(change) {
      if (needsApproval) return stage(change)
      const origins = turn.origins()
      if (origins.length === 0 && change.findings.length === 0) return undefined
      const isAgreed = await turn.person.confirm(formatQuestion(change, input.reason, origins))
      if (isAgreed === true) return undefined
      if (isAgreed === undefined && !turn.signal.aborted) return stage(change)
      throw new SvcError('SKILL_REFUSED', 'Not done: the user did not agree. Do not try it again.')
    },
  }
}

function formatQuestion({ what, findings }: Change, reason: string, origins: readonly string[]): string {
  const notes = [
    ...(origins.length > 0 ? [`The agent has read: ${origins.join(', ')}.`] : []),
    ...(findings.length > 0 ? [`The scan found: ${findings.slice(0, 5).join(' ')}`] : []),
  ]
  return `The agent wants to ${what}\nIts reason: ${reason}\n${notes.join('\n')}`.trim()
}
