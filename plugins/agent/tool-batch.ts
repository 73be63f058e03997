/** The tool calls of one answer: what may run side by side does, the rest waits its turn. */
import type { Message, PluginContext, ToolCall, ToolResult } from 'svc/sdk'
import type { Config } from './config.ts'
import { failed, type Prepared, perform, prepare } from './tool-call.ts'
import type { Turn } from './turn.ts'

interface Job {
  readonly call: ToolCall
  readonly prepared: Prepared
  /** Files it touches. */
  readonly paths: readonly string[]
  readonly parallel: boolean
  /** Reads only: may overlap with others that do. */
  readonly pure: boolean
}

/** Runs the calls and returns their answers as messages, in the order of the calls. Intents are durable already. */
export async function runBatch(ctx: PluginContext<Config>, turn: Turn, calls: readonly ToolCall[]): Promise<Message[]> {
  const jobs = await Promise.all(calls.map((call) => jobOf(turn, call)))
  const results = new Map<Job, ToolResult>()
  for (const group of groups(jobs, ctx.config.max_parallel_tools))
    await Promise.all(
      group.map(async (job) => {
        const given = await answer(ctx, turn, job)
        const result = turn.guard.note(job.call, given, job.pure ? 'pure' : 'other')
        results.set(job, result)
        const { id: callId, name } = job.call
        const data = result.data === undefined ? {} : { data: result.data }
        turn.record([{ type: 'tool.complete', callId, name, ok: !result.failed, text: result.text, ...data }])
      }),
    )
  return jobs.map((job) => {
    const { text = '', images } = results.get(job) ?? {}
    return { role: 'tool', callId: job.call.id, text, ...(images ? { images } : {}) }
  })
}

async function answer(ctx: PluginContext<Config>, turn: Turn, { call, prepared }: Job): Promise<ToolResult> {
  if (turn.signal.aborted) return failed('Not run: the turn was interrupted.')
  return 'refused' in prepared ? prepared.refused : perform(ctx, turn, call, prepared)
}

async function jobOf(turn: Turn, call: ToolCall): Promise<Job> {
  const prepared = await prepare(turn, call)
  if ('refused' in prepared) return { call, prepared, paths: [], parallel: true, pure: true }
  const { tool, input } = prepared
  const paths = tool.paths?.(input, turn.session.cwd) ?? []
  return { call, prepared, paths, parallel: tool.parallel ?? false, pure: tool.effect === 'pure' }
}

/** Cuts the calls into groups that run one after the other. A call that is not parallel is a group of its own. */
export function groups<T extends Pick<Job, 'parallel' | 'paths' | 'pure'>>(jobs: readonly T[], most: number): T[][] {
  const result: T[][] = []
  let open: T[] | undefined
  for (const job of jobs) {
    const fits = open && job.parallel && open.length < most && !open.some((other) => conflict(other, job))
    if (fits) open?.push(job)
    else {
      const group = [job]
      result.push(group)
      open = job.parallel ? group : undefined
    }
  }
  return result
}

function conflict(a: Pick<Job, 'paths' | 'pure'>, b: Pick<Job, 'paths' | 'pure'>): boolean {
  return !(a.pure && b.pure) && a.paths.some((one) => b.paths.some((two) => overlap(one, two)))
}

/** The same path, or one inside the other's folder. */
function overlap(one: string, two: string): boolean {
  return one === two || one.startsWith(`${two}/`) || two.startsWith(`${one}/`)
}
