/** The gate before every tool that could do harm. */
import type { Clock, CommandRisks, Random, ToolRequest, ToolResult, ToolVerdict } from 'svc/sdk'
import type { Config } from './config.ts'
import type { Desk, Unanswered } from './desk.ts'
import type { Deed, Judgement } from './judge.ts'
import type { Adviser, Opinion } from './smart.ts'
import type { ApprovalStore, Grant } from './store.ts'

/** What the gate needs of the plugin. */
export interface GatePorts {
  readonly config: Config
  readonly desk: () => Desk
  readonly store: () => ApprovalStore
  readonly clock: () => Clock
  readonly random: () => Random
  readonly risks: () => CommandRisks
  /** The files that a call touches, as its tool says. */
  readonly paths: (request: ToolRequest) => readonly string[]
  readonly adviser: () => Promise<Adviser>
}

type Asked = Extract<Judgement, { verdict: 'ask' }>
type Variables = ReadonlyMap<string, readonly string[]>

/** What is known of the shell of a session. */
interface Shell {
  cwd?: string
  variables?: Variables
}

const MAX_SHELLS = 200
const AGAIN = 'had begun when svc stopped, so it may have taken effect already; once more could do it twice'
const INTERRUPTED = 'the turn was interrupted before anybody answered'
const STOP =
  'Do not try it again and do not look for another way to the same end; go on without it or tell the user what is needed'

/** Listens to `ToolCalling` and `ToolCompleted`. */
export class Gate {
  readonly #ports: GatePorts
  readonly #shells: Map<string, Shell> = new Map()
  /** Turns of scheduled jobs. */

  constructor(ports: GatePorts) {
    this.#ports = ports
  }

  /** The verdict on a call; undefined when it is none of the gate's business. */
  async decide(request: ToolRequest): Promise<ToolVerdict | undefined> {
    const deed = this.#deed(request)
    if (!deed) return request.turn.again ? this.#askAgain(request) : undefined
    const { judge } = await import('./judge.ts')
    const { mode, deny, allow, cron_mode } = this.#ports.config
    const isFree = cron_mode === 'approve' && isJob(request)
    const isOff = mode === 'off' || this.#ports.desk().asksNothing(request.turn.sessionId)
    const unasked = isOff || isFree || request.tool.isolated?.() === true
    const judgement = await judge(deed, { deny, allow, unasked }, this.#ports.risks())
    const verdict =
      request.turn.again && judgement.verdict !== 'blocked'
        ? await this.#askAgain(request, deed)
        : await this.#verdict(request, deed, judgement)
    if (verdict?.allow !== false && judgement.variables)
      this.#shell(request.turn.sessionId).variables = judgement.variables
    return verdict
  }

  /** Remembers where a shell stands: the next command starts there. */
  note(result: ToolResult, request: ToolRequest): void {
    const { cwd } = (result.data ?? {}) as { cwd?: unknown }
    if (request.tool.toolset === 'terminal' && typeof cwd === 'string') this.#shell(request.turn.sessionId).cwd = cwd
  }

  #deed({ name, input, tool, turn }: ToolRequest): Deed | undefined {
    if (tool.effect === 'pure') return undefined
    const { command, path, workdir } = (input ?? {}) as Record<string, unknown>
    const shell = this.#shells.get(turn.sessionId)
    const base = tool.toolset === 'terminal' ? (shell?.cwd ?? turn.cwd) : turn.cwd
    if (typeof command === 'string' && tool.effect !== 'idempotent') {
      const cwd = typeof workdir === 'string' ? within(workdir, base) : base
      return { tool: name, command, cwd, ...(shell?.variables ? { variables: shell.variables } : {}) }
    }
    if (tool.toolset !== 'file') return undefined
    const paths = typeof path === 'string' ? [path] : this.#ports.paths({ name, input, tool, turn })
    return paths.length > 0 ? { tool: name, paths, cwd: base } : undefined
  }

  async #verdict(request: ToolRequest, deed: Deed, judgement: Judgement): Promise<ToolVerdict | undefined> {
    if (judgement.verdict === 'allowed') return undefined
    if (judgement.verdict === 'blocked') return { allow: false, reason: `${judgement.reason}. ${STOP}` }
    if (this.#granted(request.turn.sessionId, judgement)) return undefined
    if (isJob(request))
      return { allow: false, reason: `it ${judgement.reason}, which jobs may not (approvals.cron_mode). ${STOP}` }
    const opinion = await this.#opinion(request, deed, judgement)
    if (request.turn.signal.aborted) return { allow: false, reason: INTERRUPTED }
    if (opinion?.word === 'approve') return undefined
    if (opinion?.word !== 'deny') return this.#ask(request, deed, judgement)
    const warning = `${judgement.reason}; ${opinion.model} advises against it`
    return this.#ask(request, deed, { ...judgement, reason: warning, simple: false })
  }

  /** What a model says, when it is its turn: a question that a crash left is a person's already. */
  async #opinion({ turn }: ToolRequest, { cwd }: Deed, { review, ...asked }: Asked): Promise<Opinion | undefined> {
    if (this.#ports.config.mode !== 'smart' || !review) return undefined
    if (this.#ports.desk().holds(turn.sessionId, asked.hash)) return undefined
    return (await this.#ports.adviser()).opinion({ ...review, ...asked, cwd }, turn)
  }

  /** Neither a grant nor a mode knows whether a call that a crash cut off took effect: only a person can find out. */
  async #askAgain(request: ToolRequest, deed?: Deed): Promise<ToolVerdict> {
    const action = deed?.command ?? `${request.name} ${JSON.stringify(request.input)}`
    const asked: Asked = { verdict: 'ask', patterns: [], reason: AGAIN, action, hash: request.turn.key, simple: false }
    const unlikeOthers = deed ?? { tool: request.name, cwd: request.turn.cwd }
    return (await this.#ask(request, unlikeOthers, asked)) ?? { allow: true }
  }

  #granted(sessionId: string, { patterns, hash, simple }: Asked): boolean {
    if (!simple) return false
    const store = this.#ports.store()
    if (store.granted('always', '', hash)) return true
    return patterns.every((name) => store.granted('session', sessionId, name))
  }

  async #ask({ name, turn }: ToolRequest, deed: Deed, asked: Asked): Promise<ToolVerdict | undefined> {
    const { desk, clock, random, config } = this.#ports
    const answer = await desk().ask(
      {
        id: random().uuid(),
        sessionId: turn.sessionId,
        turnId: turn.turnId,
        tool: name,
        action: asked.action,
        reason: asked.reason,
        choices: asked.simple ? ['once', 'session', 'always', 'deny'] : ['once', 'deny'],
        expiresAt: clock().now() + config.timeout * 1000,
        hash: asked.hash,
      },
      turn,
    )
    if (typeof answer === 'string') return { allow: false, reason: unanswered(answer, asked, config) }
    if (answer.choice === 'deny')
      return { allow: false, reason: `the user said no to this (it ${asked.reason}). ${STOP}` }
    if (answer.choice !== 'once') this.#grant(turn.sessionId, deed, asked, answer.choice, answer.by)
    return undefined
  }

  #grant(sessionId: string, deed: Deed, asked: Asked, scope: Grant['scope'], grantedBy: string): void {
    const { store, clock, random } = this.#ports
    const { action, reason, patterns, hash } = asked
    for (const subject of scope === 'always' ? [hash] : patterns)
      store().grant({
        id: random().hex(4),
        scope,
        sessionId: scope === 'always' ? '' : sessionId,
        subject,
        action,
        reason,
        cwd: deed.cwd,
        grantedAt: clock().now(),
        grantedBy,
      })
  }

  #shell(sessionId: string): Shell {
    const shell = this.#shells.get(sessionId) ?? {}
    this.#shells.delete(sessionId)
    this.#shells.set(sessionId, shell)
    for (const oldest of this.#shells.keys()) {
      if (this.#shells.size <= MAX_SHELLS) break
      this.#shells.delete(oldest)
    }
    return shell
  }
}

function within(folder: string, base: string): string {
  return folder.startsWith('/') || folder.startsWith('~') ? folder : `${base}/${folder}`
}

function unanswered(why: Unanswered, { reason }: Asked, { timeout }: Config): string {
  if (why === 'interrupted') return INTERRUPTED
  const how = `The user allows it by answering in an open \`svc chat\`, with approvals.allow in config.yaml, or with --yolo`
  const what = why === 'timeout' ? `nobody answered within ${timeout} s` : 'nobody is there who could be asked'
  return `it ${reason}, and ${what}. ${STOP}. ${how}`
}

/** Nobody watches it. */
const isJob = ({ turn }: ToolRequest) => turn.surface === 'cron'
