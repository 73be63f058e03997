/** The board as the server has it, and what is done to it. */
import { send } from '../client/api.ts'
import { api, type BodyOf, type ResultOf } from '../client/typed.ts'

export type Board = ResultOf<'GET', '/api/plugins/kanban/board'>
export type Card = Board['columns'][number]['tasks'][number]
export type TaskDetails = ResultOf<'GET', '/api/plugins/kanban/tasks/:id'>
export type Run = TaskDetails['runs'][number]

export const readBoard = (board: string | undefined, signal: AbortSignal) =>
  api.get('/api/plugins/kanban/board', { board }, signal)
export const readBoards = (signal: AbortSignal) => api.get('/api/plugins/kanban/boards', {}, signal)
export const readTask = (id: string, signal: AbortSignal) => api.get('/api/plugins/kanban/tasks/:id', { id }, signal)
export const createTask = (task: BodyOf<'POST', '/api/plugins/kanban/tasks'>, board: string | undefined) =>
  api.post('/api/plugins/kanban/tasks', task, { board })
export const changeTask = (id: string, changes: BodyOf<'PATCH', '/api/plugins/kanban/tasks/:id'>) =>
  api.patch('/api/plugins/kanban/tasks/:id', changes, { id })
export const deleteTask = (id: string) => api.remove('/api/plugins/kanban/tasks/:id', { id })
export const comment = (id: string, body: string) =>
  api.post('/api/plugins/kanban/tasks/:id/comments', { body }, { id })
export const specifyTask = (id: string) => api.post('/api/plugins/kanban/tasks/:id/specify', {}, { id })
export const readLog = (id: string, signal: AbortSignal) =>
  api.get('/api/plugins/kanban/tasks/:id/log', { id, tail: 40_000 }, signal)

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
      const response = await send('GET', '/api/plugins/kanban/events/stream', {
        query: { board, since: cursor },
        signal,
      })
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
