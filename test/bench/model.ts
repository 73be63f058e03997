/** The bench's side of the model server: starts the process, sets what it plays, asks what it saw. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Report, Scenario } from './scenario.ts'

const IDLE: Scenario = { rounds: 0, deltas: 1 }

export class Model {
  readonly #process: ChildProcess
  readonly url: string

  private constructor(process: ChildProcess, url: string) {
    this.#process = process
    this.url = url
  }

  /** `file` is the bundled model-process.ts. */
  static async start(file: string): Promise<Model> {
    const child = fork(file, { env: { PATH: process.env['PATH'] }, execArgv: [] })
    await once(child, 'message')
    const { url } = await exchange(child, IDLE)
    return new Model(child, url)
  }

  /** Plays `scenario` to one client, `work`; returns what that returned and what the server saw. */
  async play<T>(scenario: Scenario, work: () => T): Promise<{ readonly result: T; readonly report: Report }> {
    await exchange(this.#process, scenario)
    const result = work()
    return { result, report: await exchange(this.#process, IDLE) }
  }

  async stop(): Promise<void> {
    this.#process.disconnect()
    if (this.#process.exitCode === null) await once(this.#process, 'exit')
  }
}

async function exchange(child: ChildProcess, scenario: Scenario): Promise<Report> {
  child.send(scenario)
  const [report] = (await once(child, 'message')) as [Report]
  return report
}
