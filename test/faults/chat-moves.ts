/** A person in two chats of a gateway that is killed once, and what runs the gateway: it is started again whenever it ends. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedRequest } from '../support/model-server.ts'
import { root } from '../support/repository.ts'
import { GatewayHome, type Running, type Status } from './gateway-restart.ts'

/** What a person writes, and what is waited for then. */
export interface Act {
  readonly platform?: string
  readonly text: string
  readonly until: RegExp
  /** Where that is said; left out: where it was written. */
  readonly at?: string
  /** Once this was said, `until` has to follow, whatever happens. */
  readonly promise?: RegExp
}

/** Acts that belong together: who is told that one was cut off begins with the first one again. */
export type Group = readonly Act[]

const AGAIN = 75
const MAX_TRIES = 3
const PATIENCE_MS = 45_000
const POLL_MS = 40
/** Reports in a row in which nothing is under way. */
const QUIET = 3
const EVERYWHERE = ['spool', 'other']

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export class KilledTalk {
  readonly place: GatewayHome
  readonly #countFile: string
  #running: Running | undefined
  #isClosed = false
  /** How often the gateway ended to be started again, as it was asked to. */
  restarts = 0
  /** How often it was killed. */
  kills = 0
  /** How often the person had to begin a group again. */
  repeats = 0

  constructor(config: string, plugins: readonly string[] = []) {
    this.place = new GatewayHome(config, plugins, ['other'])
    this.#countFile = join(this.place.home, 'user', 'steps')
  }

  /** It dies before the step with this number; undefined: it lives, and counts. */
  async start(at: number | undefined): Promise<void> {
    this.#begin(at === undefined ? { SVC_TEST_COUNT: this.#countFile } : { SVC_TEST_KILL_AT: String(at) })
    await this.place.ready()
  }

  /** Steps of processes that have ended. */
  steps(): string[] {
    return existsSync(this.#countFile) ? readFileSync(this.#countFile, 'utf8').split('\n').filter(Boolean) : []
  }

  async act(group: Group): Promise<void> {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      if (attempt > 1) this.repeats++
      if (await this.#try(group)) return
    }
    throw new Error(`${group.map(({ text }) => text).join(', ')}: not done. ${this.describe()}`)
  }

  /** Waits until nothing is under way. */
  async settle(): Promise<void> {
    await this.#wait(() => false, 'to be quiet')
  }

  count(pattern: RegExp, platform: string): number {
    return this.place.heard(platform).filter((text) => pattern.test(text)).length
  }

  describe(): string {
    const heard = EVERYWHERE.map((name) => `${name}: ${JSON.stringify(this.place.heard(name))}`)
    return `${heard.join('\n')}\n${this.#running?.said.err.slice(-1000)}`
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#running?.child.kill('SIGTERM')
    await this.#running?.ended
    await this.place.close()
  }

  /** Ends the process without another, so that its steps can be read. */
  async stop(): Promise<void> {
    this.#isClosed = true
    this.#running?.child.kill('SIGTERM')
    await this.#running?.ended
  }

  /** False when it came to rest before what was waited for was said. */
  async #try(group: Group): Promise<boolean> {
    for (const { platform = 'spool', text, until, promise, at = platform } of group) {
      const before = this.place.heard(at).length
      this.place.write(text, platform)
      const hears = (pattern: RegExp) => {
        const since = this.place.heard(at).slice(before)
        return since.some((each) => pattern.test(each))
      }
      const isPromised = () => promise !== undefined && hears(promise)
      if (!(await this.#wait(() => hears(until), text, isPromised))) return false
    }
    return true
  }

  /** False when nothing is under way any more. */
  async #wait(isOver: () => boolean, what: string, isPromised: () => boolean = () => false): Promise<boolean> {
    const end = Date.now() + PATIENCE_MS
    for (let quiet = 0; quiet < QUIET; await pause(POLL_MS)) {
      if (isOver()) return true
      if (Date.now() > end) throw new Error(`waited too long: ${what}. ${this.describe()}`)
      const isAtRest = isQuiet(await this.place.status()) && !this.#hasUntaken() && !isPromised()
      quiet = isAtRest ? quiet + 1 : 0
    }
    return isOver()
  }

  #hasUntaken(): boolean {
    return EVERYWHERE.some((name) => this.place.untaken(name) > 0)
  }

  #begin(env: Readonly<Record<string, string>>): void {
    const options = `--require ${join(root, 'test/faults/kill-at-step.cjs')}`
    const running = this.place.begin(['run', '--no-supervise'], { NODE_OPTIONS: options, ...env })
    this.#running = running
    void running.ended.then(({ code, err }) => {
      if (this.#isClosed) return
      if (code === AGAIN) this.restarts++
      else if (running.child.signalCode === 'SIGKILL') this.kills++
      else throw new Error(`the gateway ended with ${code}: ${err}`)
      // The count continues in the next process.
      this.#begin(env['SVC_TEST_COUNT'] === undefined ? {} : env)
    })
  }
}

function isQuiet({ isReady, inbox, outbox, platforms }: Status): boolean {
  const isUp = platforms.filter(({ name }) => EVERYWHERE.includes(name)).every(({ state }) => state === 'connected')
  const left = [inbox?.['waiting'], inbox?.['running'], outbox?.['pending'], outbox?.['attempting']]
  return isReady === true && isUp && left.every((count) => !count)
}

/** Texts of the messages with which a model was asked. */
export function joinTexts(request: RecordedRequest | undefined): string {
  const { messages = [] } = (request?.body ?? {}) as { messages?: readonly { readonly content: unknown }[] }
  return messages.map(({ content }) => JSON.stringify(content)).join('\n')
}

/** What a person wrote last. */
export function readLastQuestion(request: RecordedRequest): string {
  const { messages } = request.body as { messages: readonly { readonly role: string; readonly content: unknown }[] }
  const content = messages.findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : JSON.stringify(content)
}
