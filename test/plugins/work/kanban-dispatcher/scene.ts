/** An installation with a board, a scripted model, and workers that are the built program. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Boards, type NewTask, type Task } from 'svc/sdk/kanban'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { findFolders } from '../../../../plugins/work/kanban-dispatcher/folders.ts'
import { WorkerRecords } from '../../../../plugins/work/kanban-dispatcher/records.ts'
import type { Reply } from '../../../support/model-replies.ts'
import { type ModelServer, startModelServer } from '../../../support/model-server.ts'
import { removeFolder } from '../../../support/remove-folder.ts'
import { root } from '../../../support/repository.ts'

/** What a worker is asked, as the model sees it. */
export interface Asked {
  /** The id of the task at hand. */
  readonly task: string
  readonly title: string
  /** Names and arguments of the tools that it has called in this conversation, and their results. */
  readonly called: readonly {
    readonly name: string
    readonly input: Record<string, unknown>
    readonly result: string
  }[]
  /** The last message. */
  readonly last: string
}

export interface Scene extends AsyncDisposable {
  readonly home: string
  readonly server: ModelServer
  readonly boards: Boards
  create(task: Partial<NewTask> & { readonly title: string }): Promise<Task>
  /** Runs a command of the built program. */
  run(words: readonly string[]): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
  /** Starts a dispatcher that goes on until it is ended. */
  watch(): ChildProcess
  /** Starts a gateway that goes on until it is ended. */
  gateway(): ChildProcess
  log(task: string): string
}

interface SceneOptions {
  readonly model: (asked: Asked) => Reply | Promise<Reply>
  readonly config?: string
  readonly profiles?: readonly string[]
}

const BIN = join(root, 'dist/kernel/bin.cjs')

export async function openScene({ model, config = '', profiles = [] }: SceneOptions): Promise<Scene> {
  const home = mkdtempSync(join(tmpdir(), 'svc-kanban-'))
  const server = await startModelServer({ replies: (request) => model(readAsked(request.body)) })
  const settings = `model:\n  provider: custom\n  base_url: ${server.url}\n  default: fake-model\n${config}`
  for (const folder of [home, ...profiles.map((name) => join(home, 'profiles', name))]) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.yaml'), settings)
  }
  const kernel: TestKernel = await testKernel({ home, plugins: ['kanban'] })
  const boards = kernel.use(Boards)
  const started = new Set<ChildProcess>()
  const start = (words: readonly string[]) => {
    const child = spawn(process.execPath, [BIN, ...words], {
      cwd: home,
      env: { PATH: process.env['PATH'], SVC_HOME: home, HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started.add(child)
    return child
  }
  return {
    ...{ home, server, boards },
    create: async (task) => (await boards.create({ by: 'test', assignee: 'default', ...task })).task,
    run: async (words) => {
      const child = start(words)
      let [out, err] = ['', '']
      child.stdout?.on('data', (text) => {
        out += text
      })
      child.stderr?.on('data', (text) => {
        err += text
      })
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
      return { code, out, err }
    },
    watch: () => start(['kanban', 'dispatch', '--watch', '--json']),
    gateway: () => start(['gateway', 'run', '--no-supervise']),
    log: (task) => {
      const file = join(home, 'logs', 'kanban', `${task}.log`)
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    },
    async [Symbol.asyncDispose]() {
      for (const child of started) child.kill('SIGKILL')
      for (const run of await boards.runs({ board: null, isOpen: true })) if (run.worker) killGroup(run.worker.pid)
      // Those that are done with their task write their last answer.
      for (const { mark } of new WorkerRecords(findFolders({ root: home }).records).list())
        if (mark) killGroup(mark.pid)
      await kernel.stop()
      await server.close()
      removeFolder(home)
    },
  }
}

export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** A call of one tool. */
export function call(name: string, input: Record<string, unknown>): Reply {
  return { calls: [{ name, arguments: JSON.stringify(input) }] } as Reply
}

interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

function readAsked(body: Record<string, unknown>): Asked {
  const messages = (body['messages'] ?? []) as readonly ChatMessage[]
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content ?? '')))
  const first = texts.find((_, at) => messages[at]?.role === 'user') ?? ''
  const results = new Map(messages.map(({ tool_call_id }, at) => [tool_call_id, texts[at] ?? '']))
  const called = messages.flatMap(({ tool_calls = [] }) =>
    tool_calls.map(({ id, function: { name, arguments: input } }) => ({
      name,
      input: JSON.parse(input) as Record<string, unknown>,
      result: results.get(id) ?? '',
    })),
  )
  const [, task = ''] = /kanban task (t_[0-9a-f]+)/.exec(first) ?? []
  const [, title = ''] = /^# (.+)$/m.exec(first.replaceAll('\\n', '\n')) ?? []
  return { task, title, called, last: texts.at(-1) ?? '' }
}
