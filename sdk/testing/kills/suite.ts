/** The kill suite of platforms: the gateway is killed before every step, and nothing may be lost or doubled. */
import assert from 'node:assert/strict'
import type { StandInService } from '../../stand-ins.ts'
import type { ContractCase } from '../contracts/contract.ts'
import { openStandIn } from '../stand-in.ts'
import { type KillOutcome, killOnce } from './one-kill.ts'
import { type MessageWay, messageWays } from './script.ts'

/**
 * What became of a message. `once`: people have it; `uncertain`: the outbox says that it may have been sent, and does not send it again;
 * `unkept`: the process died before the message was on disk, and the service does not deliver it again.
 * @since 0.2
 */
export type KillResult = 'once' | 'uncertain' | 'unkept' | 'lost' | 'doubled'

/** One kill and what came of it. @since 0.2 */
export interface PlatformKill {
  readonly way: MessageWay
  /** The process died before this step, counted from 1. */
  readonly step: number
  readonly result: KillResult
  /** What the outbox knows and what people saw, as JSON. */
  readonly detail: string
}

/** What is killed, and how often. @since 0.2 */
export interface PlatformKillOptions {
  readonly platform: string
  /** Folders of the plugin and of others that it needs, where it is not built in. */
  readonly dirs?: readonly string[]
  /** Opens the service. Left out: what the plugin contributes to `StandIns`. */
  readonly standIn?: () => Promise<StandInService>
  /** Left out: all but `speech`. A platform of events (`isEvents`) has `reply` and `job` only. */
  readonly ways?: readonly MessageWay[]
  /** One step of so many (default 1: each). */
  readonly every?: number
  /** The first of them (default 1). */
  readonly first?: number
  /** Processes at a time (default 3). */
  readonly atOnce?: number
  readonly onKill?: (kill: PlatformKill) => void
}

/**
 * A case for each way on which a message leaves: it is sent once without a kill, then again for each step of the gateway (a commit, a
 * message that comes in, a call of the platform), before which the process is killed with SIGKILL and started again. A case rejects
 * when people do not have the message, or twice, and the outbox does not say so. Takes seconds for each kill; a way has 5 to 50 steps.
 * Needs the built package: from the sources the gateway is the one in `dist`.
 * @since 0.2
 */
export function platformKillSuite(options: PlatformKillOptions): readonly ContractCase[] {
  return (options.ways ?? messageWays).map((way) => ({
    name: `a gateway that is killed before any step loses nothing and doubles nothing: ${way}`,
    run: () => killOnWay(options, way),
  }))
}

async function killOnWay(options: PlatformKillOptions, way: MessageWay): Promise<void> {
  const { platform, dirs = [], every = 1, first = 1, atOnce = 3, onKill } = options
  const open = options.standIn ?? (() => openStandIn(platform, dirs))
  const kill = (at: number) => killOnce({ platform, dirs, open, way, at })
  const alive = await kill(0)
  assert.equal(alive.copies, 1, `without a kill people have ${alive.copies} copies: ${alive.detail}`)
  const waiting = Array.from({ length: alive.steps }, (_, at) => at + 1).filter((step) => isMeant(step, first, every))
  const bad: string[] = []
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const came = await kill(step)
      const result = judge(came)
      onKill?.({ way, step, result, detail: came.detail })
      if (result === 'lost' || result === 'doubled')
        bad.push(`${result}, killed before step ${step} of ${alive.steps}: ${came.detail}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  assert.ok(bad.length === 0, bad.join('\n'))
}

function isMeant(step: number, first: number, every: number): boolean {
  return (step - first) % every === 0
}

function judge({ copies, isUncertain, isKept }: KillOutcome): KillResult {
  if (copies > 1) return 'doubled'
  if (copies === 1) return 'once'
  if (isUncertain) return 'uncertain'
  return isKept ? 'lost' : 'unkept'
}
