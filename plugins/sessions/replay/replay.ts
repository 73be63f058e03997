/** Replays a recorded turn in a separate runtime: no network, no tools, no clock but the tape. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  Approvals,
  BeforeToolCall,
  type Clock,
  Models,
  type Net,
  type Random,
  SelectTools,
  Sessions,
  SvcError,
  Tools,
  type TurnEvent,
} from 'svc/sdk'
import type { InlinePlugin, RuntimeOptions, Runtimes } from 'svc/sdk/host'
import { toRegistration } from 'svc/sdk/kit/async'
import { Providers } from 'svc/sdk/provider'
import { Budgets } from 'svc/sdk/safety'
import { recordedBudgets } from './budgets.ts'
import { compare, type Difference } from './compare.ts'
import { recordedModels, recordedProvider } from './model.ts'
import { readRetry } from './older.ts'
import type { Run } from './run.ts'
import { Tape } from './tape.ts'
import { recordedDenial, recordedTools, recordedVerdict } from './tools.ts'

/** The plugins that a turn is made of; everything else is on the tape. */
const NEEDED = ['agent', 'model-calls', 'sessions', 'storage']

/** Milliseconds without an event. Nothing that is replayed takes time. */
const STALLED_MS = 10_000

/** What came of it. */
export interface Replayed {
  readonly turnId: string
  readonly sessionId: string
  readonly events: number
  /** Undefined when every byte was the same. */
  readonly difference?: Difference
}

/** What a replay takes from the runtime it is started in. */
export interface ReplayDeps {
  readonly runtimes: Runtimes
  readonly clock: Clock
  /** Names of all plugins there are. */
  readonly plugins: readonly string[]
  /** The config block `agent`. */
  readonly agent: unknown
}

export async function replay(run: Run, { runtimes, clock, plugins, agent }: ReplayDeps): Promise<Replayed> {
  const home = await mkdtemp(join(tmpdir(), 'svc-replay-'))
  const tape = new Tape(run.events)
  const options: RuntimeOptions = {
    home,
    plugins: ['agent'],
    with: [player(run, tape)],
    config: {
      ...(agent ? { agent } : {}),
      plugins: { disabled: plugins.filter((name) => !NEEDED.includes(name)) },
    },
    env: {},
    clock: stoppedClock(run),
    random: recordedRandom(run),
    net: noNet,
  }
  const runtime = await runtimes.open(options)
  let stopWatching = () => {}
  try {
    const sessions = runtime.use(Sessions)
    sessions.import(run.before)
    const before = run.before.messages.length
    const events: TurnEvent[] = []
    stopWatching = releaseStalled(clock, tape, events)
    for await (const event of runtime.use(Agent).run(createRequest(run))) {
      events.push(event)
      tape.produced(events.length)
    }
    const messages = sessions.open(run.before.session.id).history().slice(before)
    const difference = compare(run, events, messages)
    const { id: sessionId } = run.before.session
    return { turnId: run.turnId, sessionId, events: events.length, ...(difference && { difference }) }
  } finally {
    stopWatching()
    tape.stop()
    await runtime.stop()
    await rm(home, { recursive: true, force: true })
  }
}

/** A replay that left the track waits for events that cannot come; without the tape it ends, and the difference shows. */
function releaseStalled(clock: Clock, tape: Tape, events: readonly TurnEvent[]): () => void {
  let seen = 0
  let cancel = () => {}
  const look = () => {
    if (events.length === seen) return tape.stop()
    seen = events.length
    cancel = clock.after(STALLED_MS, look)
  }
  cancel = clock.after(STALLED_MS, look)
  return () => cancel()
}

function createRequest({ before, start, messages }: Run): Parameters<Agent['run']>[0] {
  const first = messages[0]?.message
  const images = first?.role === 'user' ? first.images : undefined
  const isContinued = first?.role !== 'user' && start.text === ''
  return {
    sessionId: before.session.id,
    surface: before.session.surface,
    ...start.options,
    ...(!isContinued && { text: start.text }),
    ...(images && { images }),
  }
}

/** Says no as it was recorded: see `recordedVerdict`. */
function refusing(tape: Tape): Approvals {
  return {
    connect: () => toRegistration(() => {}),
    forward: () => toRegistration(() => {}),
    pending: () => [],
    async request(_questions, _about, { callId }) {
      const { kind: _, ...denial } = recordedDenial(tape, callId) ?? {}
      return { allow: false, ...denial }
    },
    answer: () => {},
    askNothing: () => toRegistration(() => {}),
    asksNothing: () => false,
    askAgain: () => false,
  }
}

/** Stands in for everything that is not the agent. */
function player(run: Run, tape: Tape): InlinePlugin {
  return {
    name: 'recorded',
    provides: ['models', 'approvals', 'budgets'],
    setup(ctx) {
      const agent = () => ctx.use(Agent)
      const names = new Set([run.start.provider])
      for (const event of run.events) if (event.type === 'model.start') names.add(event.provider)
      for (const name of names) ctx.add(Providers, recordedProvider(run, tape, name, agent))
      ctx.provide(Models, () =>
        recordedModels(run, (name) => {
          const found = ctx.all(Providers).get(name)
          if (found) return found
          throw new SvcError('REPLAY_RUN_UNKNOWN', `The recorded turn does not know the provider ${name}.`)
        }),
      )
      ctx.provide(Approvals, () => refusing(tape))
      ctx.provide(Budgets, () => recordedBudgets(run))
      const playing = { run, tape, agent }
      for (const tool of recordedTools(playing)) ctx.add(Tools, { ...tool, toolset: chooseToolset(run) })
      ctx.on(SelectTools, ({ offered }) => {
        const told = run.tools.map(({ name }) => name)
        return { offered: told, deferred: offered.filter((name) => !told.includes(name)) }
      })
      ctx.on(BeforeToolCall, (request) => recordedVerdict(playing, request))
    },
  }
}

/** A turn that was limited to toolsets finds the recorded tools in one of them. */
function chooseToolset({ start }: Run): string {
  return start.options?.toolsets?.[0] ?? 'recorded'
}

/** Nothing takes time. */
function stoppedClock({ before }: Run): Clock {
  let ticks = 0
  return {
    now: () => before.session.updatedAt,
    monotonic: () => ticks++,
    after: () => () => {},
    sleep: async (_, signal) => signal?.throwIfAborted(),
  }
}

/** The id of the turn, and the random parts of the pauses. */
function recordedRandom({ turnId, events }: Run): Random {
  const retries = events.flatMap((event) => (event.type === 'notice' ? (readRetry(event) ?? []) : []))
  let count = 0
  return {
    next: () => retries.shift()?.jitter ?? 0,
    hex: (bytes) => {
      const wanted = turnId.replace(/^turn_/, '')
      return wanted.length === bytes * 2 ? wanted : (count++).toString(16).padStart(bytes * 2, '0')
    },
    uuid: () => `00000000-0000-4000-8000-${(count++).toString(16).padStart(12, '0')}`,
  }
}

const noNet: Net = {
  request: async ({ url }) => {
    throw new SvcError('REPLAY_NETWORK', `A replay has no network, and asked for ${new URL(url).origin}.`)
  },
}
