/** Runs of workers: look at one and at its process, take its task back. */
import { SvcError } from 'svc/sdk'
import type { Boards, TaskRun } from 'svc/sdk/kanban'
import { getMachineName, isSameProcess } from 'svc/sdk/kit/process'
import type { ApiRequest, ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { AUTHOR, boardQuery, type Context, defineRoute, getBoard, getNumber, reasonBody } from './route.ts'
import { runSchema, toRun } from './wire.ts'

export function runRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/runs/:id',
      summary: 'A run of a worker',
      response: z.object({ run: runSchema }),
      handle: async (boards, request) => ({ run: toRun(await findRun(boards, request)) }),
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/runs/:id/inspect',
      summary: 'Whether the process of a run is there',
      handle: async (boards, request) => inspect(await findRun(boards, request)),
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/runs/:id/terminate',
      summary: 'Takes the task of a run back; the dispatcher ends its worker',
      body: reasonBody,
      async handle(boards, request) {
        const run = await findRun(boards, request)
        const { hold } = await boards.get(run.taskId)
        if (run.endedAt !== undefined || hold?.runId !== run.id)
          throw new SvcError('API_KANBAN_ENDED', `Run ${run.id} has ended. Nothing was changed.`, { status: 409 })
        const { reason } = request.body
        await boards.reclaim(run.taskId, { by: AUTHOR, ...(reason != null && { reason }) })
        return { ok: true, run_id: run.id, task_id: run.taskId }
      },
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/workers/active',
      summary: 'Runs that have not ended',
      query: boardQuery,
      response: z.object({ workers: z.array(runSchema), count: z.number(), checked_at: z.number() }),
      async handle(boards, { query }) {
        const { board } = getBoard(query)
        const workers = (await boards.runs({ ...(board !== undefined && { board }), isOpen: true })).map(toRun)
        return { workers, count: workers.length, checked_at: (await boards.stats()).now / 1000 }
      },
    }),
  ]
}

async function findRun(boards: Boards, request: Pick<ApiRequest, 'http'>): Promise<TaskRun> {
  const run = await boards.run(getNumber(request))
  if (run) return run
  throw new SvcError('API_KANBAN_UNKNOWN', 'There is no run of this number.', { status: 404 })
}

function inspect({ id, worker, endedAt }: TaskRun): object {
  const not = (reason: string) => ({ run_id: id, alive: false, reason })
  if (endedAt !== undefined) return not('The run has ended.')
  if (!worker) return not('Its worker has not reported yet.')
  if (worker.machine !== getMachineName()) return not(`It runs on ${worker.machine}, which this server cannot look at.`)
  const isAlive = isSameProcess({ pid: worker.pid, identity: worker.startTime })
  return isAlive ? { run_id: id, alive: true, pid: worker.pid } : not('Its process has ended.')
}
