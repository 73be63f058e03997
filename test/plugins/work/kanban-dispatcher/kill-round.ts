/** One graph of tasks that is worked at while its dispatcher and its workers are killed at random moments. */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { TaskRun } from 'svc/sdk/kanban'
import { findProcess } from '../../../../sdk/kit/process/index.ts'
import { answer, createGraph, planGraph, seeded } from './kill-graph.ts'
import { judge, type Verdict } from './kill-judge.ts'
import { type Asked, openScene, type Scene } from './scene.ts'

export interface RoundOptions {
  readonly seed: number
  readonly tasks: number
  /** At most; fewer where the graph is at its end before. */
  readonly kills: number
  /** Failed runs after which a task is blocked. */
  readonly failureLimit: number
}

export interface RoundResult extends Verdict {
  readonly kills: { readonly dispatchers: number; readonly workers: number }
}

/** No graph takes so long, whatever else the machine does. */
const MAX_ROUND_MS = 900_000
const WORKERS = 4

export async function playRound(options: RoundOptions): Promise<RoundResult> {
  const random = seeded(options.seed)
  const plan = planGraph(options.tasks, random)
  const byTitle = new Map(plan.map((task) => [task.title, task]))
  const longest = new Map<string, number>()
  const forgotten: string[] = []
  const stories = new Map<string, Asked['called']>()
  let asked = 0
  await using scene = await openScene({
    config: `kanban_dispatcher:\n  max_workers: ${WORKERS}\n  interval_seconds: 1\n  failure_limit: ${options.failureLimit}\n  keep_workspaces: true\n`,
    model: async (request) => {
      asked++
      const known = longest.get(request.task) ?? 0
      if (request.called.length < known) forgotten.push(`${request.task}: its conversation lost a call`)
      longest.set(request.task, Math.max(known, request.called.length))
      stories.set(request.task, request.called)
      await wait(random() * 60)
      return answer(byTitle, request)
    },
  })
  const tasks = await createGraph(scene.boards, plan)
  const killer = new Killer(scene, random)
  killer.startDispatcher()
  const end = Date.now() + MAX_ROUND_MS
  while (Date.now() < end && !(await isOver(scene))) {
    const before = asked
    const calls = Math.floor(random() * 4)
    // Not by time alone: on a slow machine nothing would ever be reached between two kills.
    while (asked < before + calls && Date.now() < end && !(await isOver(scene))) await wait(25)
    await wait(random() * (random() < 0.25 ? 1200 : 150))
    if (killer.total < options.kills) await killer.kill()
    else await wait(100)
  }
  await killer.stopDispatcher()
  const verdict = await judge(scene, { plan, tasks, hit: killer.hit, failureLimit: options.failureLimit })
  const problems = [...killer.ends, ...forgotten, ...verdict.problems]
  // What was wrong cannot be repeated: all that is known of it is told.
  const tellAll = (id: string) => `${scene.log(id)}\n${JSON.stringify(stories.get(id), undefined, 1)}`
  for (const { id } of tasks) if (problems.some((text) => text.includes(id))) console.log(tellAll(id))
  return { ...verdict, problems, kills: killer.counts }
}

/** Nothing runs, and nothing can. */
async function isOver({ boards }: Scene): Promise<boolean> {
  const { byStatus } = await boards.stats()
  return byStatus.running === 0 && byStatus.ready === 0
}

class Killer {
  readonly counts = { dispatchers: 0, workers: 0 }
  /** Epochs of runs whose worker was killed, by task. */
  readonly hit: Map<string, Set<number>> = new Map()
  /** Of dispatchers that ended by themselves. */
  readonly ends: string[] = []
  readonly #scene: Scene
  readonly #random: () => number
  #dispatcher: ChildProcess | undefined

  constructor(scene: Scene, random: () => number) {
    this.#scene = scene
    this.#random = random
  }

  get total(): number {
    return this.counts.dispatchers + this.counts.workers
  }

  startDispatcher(): void {
    const child = this.#scene.watch()
    this.#dispatcher = child
    child.stdout?.resume()
    let said = ''
    child.stderr?.on('data', (text) => {
      said += text
    })
    child.once('close', (code, signal) => {
      if (signal !== 'SIGKILL') this.ends.push(`a dispatcher ended by itself with ${code ?? signal}: ${said}`)
    })
  }

  async stopDispatcher(): Promise<void> {
    const child = this.#dispatcher
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  /** The dispatcher, a worker, or both at once. */
  async kill(): Promise<void> {
    const chance = this.#random()
    const running = (await this.#scene.boards.runs({ board: null, isOpen: true })).filter(({ worker }) => worker)
    const run = running[Math.floor(this.#random() * running.length)]
    if (run && chance > 0.25) this.#killWorker(run)
    if (chance <= 0.25 || chance > 0.93) {
      await this.stopDispatcher()
      this.counts.dispatchers++
      this.startDispatcher()
    }
  }

  #killWorker({ worker, taskId, epoch }: TaskRun): void {
    const pid = worker?.pid ?? 0
    if (findProcess(pid)?.identity !== worker?.startTime) return
    // With all that it started, or alone, so that what it started lives on.
    process.kill(this.#random() < 0.5 ? -pid : pid, 'SIGKILL')
    this.counts.workers++
    this.hit.set(taskId, (this.hit.get(taskId) ?? new Set()).add(epoch))
  }
}
