/** Planning of tasks in triage by a model: the service that whatever looks at the boards asks. */
import { defineService, type Service } from './declarations.ts'

/** What became of a task that was to be planned. @since 0.2 */
export interface PlannedTask {
  readonly taskId: string
  /** Why nothing was written; undefined when something was. */
  readonly reason?: string
  /** It waits for tasks that it was taken apart into. Otherwise it is specified as one task. */
  readonly isFanOut: boolean
  readonly childIds: readonly string[]
  /** The title that the task has now, if it is another one. */
  readonly newTitle?: string
}

/** @since 0.2 */
export interface PlanOptions {
  /** Who stands in the events and comments. */
  readonly by: string
  readonly signal: AbortSignal
}

/** A task that another one would be taken apart into. @since 0.2 */
export interface TaskPart {
  readonly title: string
  readonly body: string
  /** A profile. Left out: the default assignee. */
  readonly assignee?: string
  /** Positions, from 0, of the parts whose results it needs. */
  readonly parents: readonly number[]
}

/** What a task would become: several tasks, or one that is specified. @since 0.2 */
export type TaskPlan =
  | { readonly kind: 'parts'; readonly rationale: string; readonly parts: readonly TaskPart[] }
  | {
      readonly kind: 'one'
      readonly rationale: string
      /** Left out: as it is. */
      readonly title?: string
      readonly body: string
      readonly assignee?: string
    }

/** A plan that nothing was written of yet. @since 0.2 */
export interface TaskProposal {
  readonly taskId: string
  /** Why no plan can be proposed; undefined when there is one. */
  readonly reason?: string
  readonly plan?: TaskPlan
}

/** Who gets what is planned, as the settings say, and as it is for the profiles that exist. @since 0.2 */
export interface TaskRouting {
  /** Empty: not set. */
  readonly orchestrator: string
  readonly defaultAssignee: string
  readonly isAutomatic: boolean
  readonly resolvedOrchestrator: string
  readonly resolvedDefaultAssignee: string
}

/**
 * Plans tasks in triage. Bring it with `Plugins.bring`, its manifest name under `brings`.
 * Planning rejects only when it is interrupted: why nothing was written is in the result.
 * @since 0.2
 */
export interface TaskPlanner {
  /** Takes a task apart, or specifies it where it is small. */
  decompose(id: string, options: PlanOptions): Promise<PlannedTask>
  /** Always one task. */
  specify(id: string, options: PlanOptions): Promise<PlannedTask>
  /** Asks a model as `decompose` does, and writes nothing. Each part has an assignee. */
  propose(id: string, options: Pick<PlanOptions, 'signal'>): Promise<TaskProposal>
  /**
   * Writes a plan that a person accepted, as it was proposed or changed: all of it or nothing. It is checked as the answer of a model
   * is, and a profile that does not exist is a reason to write nothing.
   */
  accept(id: string, plan: TaskPlan, options: PlanOptions): Promise<PlannedTask>
  /**
   * Plans new tasks of all boards that are not planned yet, the oldest first, as many as the settings say
   * (`kanban.auto_decompose`, `kanban.auto_decompose_per_tick`). For each look of a dispatcher: of several processes that call it at
   * the same time one does the work, and where nothing is due it costs one query. Empty when nothing was planned.
   */
  planDue(signal: AbortSignal): Promise<readonly PlannedTask[]>
  routing(): Promise<TaskRouting>
  /** Writes settings. Throws `KANBAN_PROFILE_UNKNOWN` for a profile that does not exist, and the codes of the config file. */
  setRouting(
    changes: Partial<Pick<TaskRouting, 'orchestrator' | 'defaultAssignee' | 'isAutomatic'>>,
  ): Promise<TaskRouting>
}
export const TaskPlanner: Service<TaskPlanner> = defineService('task-planner')
