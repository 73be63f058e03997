/** A board, a dispatcher and workers that are shell scripts: what looks do, without a model. Time passes when a test says so. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from 'svc/sdk'
import { Boards, type DispatchOptions, type NewTask, type Task } from 'svc/sdk/kanban'
import { testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { expect } from 'vitest'
import { type Config, config } from '../../../../plugins/work/kanban-dispatcher/config.ts'
import { Dispatcher } from '../../../../plugins/work/kanban-dispatcher/dispatcher.ts'
import { findFolders } from '../../../../plugins/work/kanban-dispatcher/folders.ts'
import { listProfiles } from '../../../../plugins/work/kanban-dispatcher/profile-list.ts'
import { WorkerRecords } from '../../../../plugins/work/kanban-dispatcher/records.ts'
import type { DispatchReport } from '../../../../plugins/work/kanban-dispatcher/report.ts'
import { runProgram } from '../../../../plugins/work/kanban-dispatcher/run-program.ts'
import type { DispatcherDeps } from '../../../../plugins/work/kanban-dispatcher/state.ts'

export interface Stage extends AsyncDisposable {
  readonly home: string
  readonly boards: Boards
  readonly clock: VirtualClock
  readonly records: WorkerRecords
  create(task?: Partial<NewTask>): Promise<Task>
  /** One look, with all that goes on beside it. */
  look(options?: DispatchOptions): Promise<DispatchReport>
  /** Looks until the task has the status. */
  until(task: string, status: Task['status']): Promise<Task>
  /** Sets the clock of the machine, as a person does: only the wall clock jumps. */
  setClock(ms: number): void
  /** Another dispatcher, as after a crash of the first. */
  restart(): void
  /** What workers do from now on. */
  script(text: string): void
  pidOf(task: string): Promise<number>
}

/** `script` is the text of a shell script. */
export async function openStage({
  script,
  settings = {},
  profiles = [],
  fetch,
  server,
}: {
  readonly script: string
  readonly settings?: Partial<Config>
  readonly profiles?: readonly string[]
  readonly fetch?: (url: string) => { readonly status: number; readonly text: string }
  /** Where the boards are, in place of files; time passes by itself there. */
  readonly server?: { readonly url: string; readonly prefix: string }
}): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'svc-stage-'))
  for (const name of profiles) mkdirSync(join(home, 'profiles', name), { recursive: true })
  const file = join(home, 'worker.sh')
  const clock = virtualClock()
  let offset = 0
  const wall = () => clock.now() + offset
  const kernel = await testKernel({
    ...{ home, plugins: ['kanban'] },
    ...(server
      ? { env: { SVC_STORAGE_URL: server.url }, config: { storage: { prefix: server.prefix, timeout_seconds: 20 } } }
      : { clock: { ...clock, now: wall } }),
  })
  const boards = kernel.use(Boards)
  const folders = findFolders({ root: home })
  const records = new WorkerRecords(folders.records)
  const stop = new AbortController()
  const environment = { PATH: process.env['PATH'] ?? '' }
  // What is waited for is a process, which takes real time.
  const sleep: Clock['sleep'] = async (ms) => {
    await wait(ms)
    await clock.advance(ms)
  }
  const mixed: Clock = { ...clock, now: wall, sleep, after: realAfter }
  const set = config.parse({ stop_grace_seconds: 0.3, ...settings })
  let tokens = 0
  const deps: DispatcherDeps = {
    ...{ folders, records, boards: () => boards, clock: mixed, config: () => set, signal: stop.signal, wake: () => {} },
    random: { next: () => 0.5, hex: () => `${process.pid}-${Date.now()}-${++tokens}`, uuid: () => 'x' },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    profiles: listProfiles({ root: home }, undefined),
    program: () => ['/bin/sh', file],
    git: (args, cwd) =>
      runProgram({ command: ['git', ...args], cwd, environment, timeoutMs: 20_000, signal: stop.signal, clock: mixed }),
    checks: () => ({
      ...{ clock: mixed, environment, timeoutMs: 10_000, mask: (text) => text },
      log: { info: () => {} },
      ask: async (url) => {
        const { status, text } = fetch?.(url) ?? { status: 404, text: '' }
        return { status, text: async () => text, close: () => {} }
      },
    }),
  }
  let dispatcher = new Dispatcher(deps)
  const setScript = (text: string) => writeFileSync(file, text)
  setScript(script)
  const stage: Stage = {
    ...{ home, boards, clock, records, script: setScript },
    create: async (task) => (await boards.create({ title: 'a task', by: 'test', assignee: 'default', ...task })).task,
    async look(options) {
      const report = await dispatcher.tick(options)
      await dispatcher.settled(report)
      return report
    },
    async until(task, status) {
      await expect
        .poll(async () => {
          await stage.look()
          return (await boards.get(task)).status
        })
        .toBe(status)
      return boards.get(task)
    },
    setClock: (ms) => {
      offset += ms
    },
    restart: () => {
      dispatcher = new Dispatcher(deps)
    },
    async pidOf(task) {
      return (await boards.get(task)).hold?.worker?.pid ?? 0
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      for (const { mark } of records.list()) if (mark) killGroup(mark.pid)
      await kernel.stop()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return stage
}

const realAfter: Clock['after'] = (ms, callback) => {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
