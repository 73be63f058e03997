/** Hooks around what a conversation works with: subagents, the steps of the plan, summaries, the folder, and notes of the project. */
import { resolve } from 'node:path'
import type { HookDecisionResult, PluginContext, TurnContext } from 'svc/sdk'
import type { Subagent } from 'svc/sdk/hooks'
import type { CompactedSession, PlanChange, ProjectNote, WorkingFolderChange } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import type { Fire } from './fire.ts'

/** svc has one kind of subagents; this is what the format calls one without a definition of its own. */
const AGENT_TYPE = 'general-purpose'

export class WorkListeners {
  readonly #ctx: PluginContext<Config>
  readonly #fire: Fire
  /** What triggered the compression under way, by session. */
  readonly #triggers = new Map<string, string>()
  /** The session of the conversation, by the session of a subagent. */
  readonly #parents = new Map<string, string>()

  constructor(ctx: PluginContext<Config>, fire: Fire) {
    this.#ctx = ctx
    this.#fire = fire
  }

  /** Contract: a listener of `SubagentStarted`. What hooks print is for the subagent. */
  async subagentStarted({ sessionId, parent }: Subagent): Promise<readonly string[]> {
    this.#parents.set(sessionId, parent.sessionId)
    const fields = { agent_id: sessionId, agent_type: AGENT_TYPE }
    return (await this.#fire('SubagentStart', parent.sessionId, fields, { subjects: [AGENT_TYPE] })).contexts
  }

  subagentEnded({ sessionId }: Pick<Subagent, 'sessionId'>): void {
    this.#parents.delete(sessionId)
  }

  /** The event of a turn that is about to end, and the fields that only a subagent has. */
  describeEnd({ sessionId, purpose }: TurnContext) {
    if (purpose !== 'subagent') return { event: 'Stop', sessionId, fields: {}, subjects: [] } as const
    const fields = { agent_id: sessionId, agent_type: AGENT_TYPE, agent_transcript_path: '' }
    const parent = this.#parents.get(sessionId) ?? sessionId
    return { event: 'SubagentStop', sessionId: parent, fields, subjects: [AGENT_TYPE] } as const
  }

  /** Contract: a listener of `BeforePlanChange`. Each new and each completed step is an event; the first that is blocked ends it. */
  async planChanging({ sessionId, before, after }: PlanChange): Promise<HookDecisionResult | undefined> {
    const known = new Map(before.map((step) => [step.id, step.status]))
    for (const { id, content, status } of after) {
      const events = [
        ...(known.has(id) ? [] : (['TaskCreated'] as const)),
        ...(status === 'completed' && known.get(id) !== 'completed' ? (['TaskCompleted'] as const) : []),
      ]
      for (const event of events) {
        const { decision, reason, stop } = await this.#fire(event, sessionId, { task_id: id, task_subject: content })
        if (stop !== undefined) return { decision: 'deny', reason: stop }
        if (decision === 'deny') return { decision: 'deny', reason }
      }
    }
    return undefined
  }

  /** A compression begins: its end is told with the same trigger. */
  compressing(sessionId: string, trigger: string): void {
    this.#triggers.set(sessionId, trigger)
  }

  /** Contract: a listener of `SessionCompacted`. */
  async compacted({ sessionId, summary }: CompactedSession): Promise<void> {
    const trigger = this.#triggers.get(sessionId) ?? 'manual'
    this.#triggers.delete(sessionId)
    const text = summary.map((message) => message.text).join('\n\n')
    await this.#fire('PostCompact', sessionId, { trigger, compact_summary: text }, { subjects: [trigger] })
  }

  /** Contract: a listener of `WorkingFolderChanged`. */
  async folderChanged({ sessionId, cwd, previous }: WorkingFolderChange, own: string): Promise<void> {
    await this.#fire('CwdChanged', sessionId, { old_cwd: previous ?? own, new_cwd: cwd })
  }

  /** Contract: a listener of `SelectProjectNotes`, which it leaves as they are. */
  async notesRead(notes: readonly ProjectNote[], { sessionId, cwd }: TurnContext): Promise<void> {
    const reason = 'session_start'
    for (const { path } of notes) {
      if (this.#ctx.signal.aborted) return
      const fields = { file_path: resolve(cwd, path), memory_type: 'Project', load_reason: reason }
      await this.#fire('InstructionsLoaded', sessionId, fields, { subjects: [reason] })
    }
  }
}
