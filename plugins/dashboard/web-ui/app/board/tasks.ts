/** The board as the server has it, and what is done to it. */
import { get, patch, post, remove, send } from '../client/api.ts'

const PREFIX = '/api/plugins/kanban'

export interface Card {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly assignee: string | null
  readonly priority: number
  readonly age: number
  readonly comment_count: number
  readonly latest_summary: string | null
  readonly block_reason: string | null
  readonly consecutive_failures: number
  readonly progress: { readonly done: number; readonly total: number } | null
  readonly link_counts: { readonly parents: number; readonly open_parents: number; readonly children: number }
}

export interface Board {
  readonly board: string
  readonly columns: readonly { readonly name: string; readonly tasks: readonly Card[] }[]
  readonly assignees: readonly string[]
  readonly latest_event_id: number
}

export interface BoardInfo {
  readonly slug: string
  readonly name: string
  readonly counts: Readonly<Record<string, number>>
}

export interface Run {
  readonly id: number
  readonly profile: string | null
  readonly status: string
  readonly outcome: string | null
  readonly started_at: number
  readonly ended_at: number | null
  readonly summary: string | null
  readonly error: string | null
  readonly estimated_cost_usd: number
  readonly model: string | null
}

export interface TaskDetails {
  readonly task: Card & {
    readonly body: string
    readonly result: string | null
    readonly session_id: string | null
    readonly checks: readonly Readonly<Record<string, unknown>>[]
    readonly evidence: readonly {
      readonly check: number
      readonly met: boolean
      readonly detail: string
      readonly at: number
    }[]
    readonly budget_spent_usd: number
  }
  readonly comments: readonly {
    readonly id: number
    readonly author: string
    readonly body: string
    readonly created_at: number
  }[]
  readonly attachments: readonly { readonly id: number; readonly filename: string; readonly size: number }[]
  readonly links: { readonly parents: readonly string[]; readonly children: readonly string[] }
  readonly child_results: readonly { readonly id: string; readonly title: string; readonly status: string }[]
  readonly runs: readonly Run[]
  readonly moves: readonly { readonly verb: string; readonly to: string }[]
}

export interface Planned {
  readonly ok: boolean
  readonly reason: string | null
  readonly child_ids: readonly string[]
}

export const readBoard = (board: string | undefined, signal: AbortSignal): Promise<Board> =>
  get(`${PREFIX}/board`, { board }, signal)
export const readBoards = (signal: AbortSignal): Promise<{ boards: readonly BoardInfo[]; current: string }> =>
  get(`${PREFIX}/boards`, {}, signal)
export const readTask = (id: string, signal: AbortSignal): Promise<TaskDetails> =>
  get(`${PREFIX}/tasks/${encodeURIComponent(id)}`, {}, signal)
export const createTask = (task: object, board: string | undefined): Promise<unknown> =>
  post(`${PREFIX}/tasks${board ? `?board=${encodeURIComponent(board)}` : ''}`, task)
export const changeTask = (id: string, changes: object): Promise<unknown> =>
  patch(`${PREFIX}/tasks/${encodeURIComponent(id)}`, changes)
export const deleteTask = (id: string): Promise<unknown> => remove(`${PREFIX}/tasks/${encodeURIComponent(id)}`)
export const comment = (id: string, body: string): Promise<unknown> =>
  post(`${PREFIX}/tasks/${encodeURIComponent(id)}/comments`, { body })
export const planTask = (id: string, verb: 'decompose' | 'specify'): Promise<Planned> =>
  post(`${PREFIX}/tasks/${encodeURIComponent(id)}/${verb}`)
export const readLog = (id: string, signal: AbortSignal): Promise<{ exists: boolean; content: string }> =>
  get(`${PREFIX}/tasks/${encodeURIComponent(id)}/log`, { tail: 40_000 }, signal)

const AGAIN_MS = 3000

/** Calls `changed` after each batch of events, until `signal` aborts. Events that came while it was away come first. */
export async function followBoard(
  board: string,
  since: number,
  changed: () => void,
  signal: AbortSignal,
): Promise<void> {
  let cursor = since
  while (!signal.aborted) {
    try {
      const response = await send('GET', `${PREFIX}/events/stream`, { query: { board, since: cursor }, signal })
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
        const [, id] = /^id: ?(\d+)$/m.exec(read.value) ?? []
        if (id === undefined) continue
        cursor = Number(id)
        changed()
      }
    } catch {
      // The server is away, or does not have the board: the page says so when it reads the board.
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}
