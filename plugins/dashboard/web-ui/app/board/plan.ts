/** A plan that is being looked at: what a model proposed, as a person has changed it. */
import type { ResultOf } from '../client/typed.ts'

export type WirePlan = NonNullable<ResultOf<'POST', '/api/plugins/kanban/tasks/:id/plan'>['plan']>

export interface DraftPart {
  /** Stays the same while parts are added and removed. */
  readonly key: number
  readonly title: string
  readonly body: string
  readonly assignee: string
  /** Keys of the parts that it waits for. */
  readonly after: readonly number[]
}

export interface Draft {
  readonly isFanOut: boolean
  readonly rationale: string
  /** Of one task there is one part. */
  readonly parts: readonly DraftPart[]
  readonly nextKey: number
}

export function toDraft({ fanout: isFanOut, rationale, title, body, assignee, tasks }: WirePlan): Draft {
  const parts: readonly DraftPart[] = isFanOut
    ? tasks.map((task, key) => ({ ...task, key, assignee: task.assignee ?? '', after: task.parents }))
    : [{ key: 0, title: title ?? '', body: body ?? '', assignee: assignee ?? '', after: [] }]
  return { isFanOut, rationale: rationale ?? '', parts, nextKey: parts.length }
}

export function toPlan({ isFanOut, rationale, parts }: Draft): WirePlan {
  const [one] = parts
  if (!isFanOut)
    return {
      ...{
        fanout: false,
        rationale,
        title: one?.title || null,
        body: one?.body ?? '',
        assignee: one?.assignee || null,
      },
      tasks: [],
    }
  const positions = new Map(parts.map(({ key }, at) => [key, at]))
  const tasks = parts.map(({ title, body, assignee, after }) => ({
    ...{ title, body, assignee: assignee || null },
    parents: after.flatMap((key) => positions.get(key) ?? []),
  }))
  return { ...{ fanout: true, rationale, title: null, body: null, assignee: null }, tasks }
}

export function changePart(draft: Draft, key: number, change: Partial<DraftPart>): Draft {
  return { ...draft, parts: draft.parts.map((part) => (part.key === key ? { ...part, ...change } : part)) }
}

export function addPart(draft: Draft): Draft {
  const { nextKey: key, parts } = draft
  return { ...draft, nextKey: key + 1, parts: [...parts, { key, title: '', body: '', assignee: '', after: [] }] }
}

/** What waited for it waits for nothing in its place. */
export function removePart(draft: Draft, key: number): Draft {
  const parts = draft.parts.filter((part) => part.key !== key)
  return { ...draft, parts: parts.map((part) => ({ ...part, after: part.after.filter((each) => each !== key) })) }
}

/** Whether the part waits for the other one, itself or through others: the other one then cannot wait for it. */
export function waitsFor(
  draft: Pick<Draft, 'parts'>,
  key: number,
  other: number,
  seen: Set<number> = new Set(),
): boolean {
  if (seen.has(key)) return false
  seen.add(key)
  const after = draft.parts.find((part) => part.key === key)?.after ?? []
  return after.some((each) => each === other || waitsFor(draft, each, other, seen))
}
