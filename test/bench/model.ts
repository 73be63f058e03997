/** The bench's side of the model server: starts the process, sets what it plays, asks what it saw. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Report, Scenario } from './scenario.ts'

const IDLE: Scenario = { rounds: 0, deltas: 1 }

export class Model {
  readonly #process: ChildProcess
  readonly #ended = new AbortController()
  #url = ''

  private constructor(file: string) {
    this.#process = fork(file, { env: { PATH: process.env['PATH'] }, execArgv: [] })
    this.#process.once('exit', () => this.#ended.abort(new Error('the model server of the bench has ended')))
  }

  /** `file` is the bundled model-process.ts. */
  static async start(file: string): Promise<Model> {
    const model = new Model(file)
    await model.#message()
    model.#url = (await model.#exchange(IDLE)).url
    return model
  }

  get url(): string {
    return this.#url
  }

  /** Plays `scenario` to one client, `work`; returns what that returned and what the server saw. */
  async play<T>(
    scenario: Scenario,
    work: () => T | Promise<T>,
  ): Promise<{ readonly result: T; readonly report: Report }> {
    await this.#exchange(scenario)
    const result = await work()
    return { result, report: await this.#exchange(IDLE) }
  }

  async stop(): Promise<void> {
    if (this.#ended.signal.aborted) return
    this.#process.disconnect()
    await once(this.#process, 'exit')
  }

  async #exchange(scenario: Scenario): Promise<Report> {
    this.#process.send(scenario)
    return (await this.#message()) as Report
  }

  async #message(): Promise<unknown> {
    const [message] = await once(this.#process, 'message', { signal: this.#ended.signal })
    return message
  }
}
