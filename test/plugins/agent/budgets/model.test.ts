/** The ledger against a model of it: a plain list of calls. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { errorCode } from 'svc/sdk'
import type { Reservation } from 'svc/sdk/safety'
import { Storage } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { LedgerBudgets } from '../../../../plugins/agent/budgets/budgets.ts'
import { type Config, config } from '../../../../plugins/agent/budgets/config.ts'
import { Ledger } from '../../../../plugins/agent/budgets/ledger.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const HOUR = 3_600_000
const CALLERS = 3
/** US dollars for a token, so that all sums are exact. */
const RATE = 0.25
const price = { input: RATE * 1e6, output: RATE * 1e6 }

/** A call as the model knows it. `tokens` is the estimate until it is settled. */
interface Call {
  readonly at: number
  readonly profile: string
  readonly session: string
  readonly turn: string
  tokens: number
}

interface Open {
  readonly caller: number
  readonly call: Call
  readonly reservation: Reservation
  readonly isHeld: boolean
}

interface Caller {
  ledger: Ledger
  budgets: LedgerBudgets
  config: Config
}

const cap = fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined })
const long = fc.record({ tokens: cap, usd: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }) })
const caps = fc.record({
  account: fc.record({ day: long, month: long }),
  profile: fc.record({ day: long, month: long }),
  session: long,
  turn: fc.record({ tokens: cap, tool_calls: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }) }),
})
const caller = fc.nat(CALLERS - 1)
const name = fc.constantFrom('a', 'b')
const size = fc.integer({ min: 1, max: 60 })
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('ask' as const), caller, session: name, turn: name, estimate: size }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: fc.nat(),
      how: fc.constantFrom('settle', 'settle', 'settle', 'uncounted', 'release', 'twice'),
      tokens: size,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('tool' as const), caller, session: name, turn: name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('set' as const), caller, caps: fc.option(caps) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), caller }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('jump' as const),
      hours: fc.constantFrom(0, 0, 0, 5, 13, -20, 24, 24 * 31, -24 * 300, 24 * 365 * 20, 24 * 365 * 80),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** The program and the model of it, side by side. */
class World {
  readonly #start = new Date(2026, 10, 30, 22).getTime()
  #now = this.#start
  readonly #calls: Call[] = []
  readonly #tools = new Map<string, number>()
  #open: Open[] = []
  readonly #callers: Caller[]
  readonly #make: () => Ledger
  refused = 0

  constructor(make: () => Ledger) {
    this.#make = make
    this.#callers = Array.from({ length: CALLERS }, (_, number) => {
      const ledger = make()
      return { ledger, config: config.parse({}), budgets: this.#budgets(ledger, config.parse({}), getProfile(number)) }
    })
  }

  async take(one: Step): Promise<void> {
    if (one.do === 'jump') this.#now = this.#start + one.hours * HOUR
    else if (one.do === 'end') this.#end(one)
    else if (one.do === 'crash') await this.#crash(one.caller)
    else if (one.do === 'set') this.#set(one.caller, config.parse(one.caps ?? {}))
    else if (one.do === 'tool') this.#tool(one)
    else this.#ask(one)
  }

  async close(): Promise<void> {
    for (const { ledger } of this.#callers) await ledger.close()
  }

  #ask({ caller: number, session, turn, estimate }: Extract<Step, { do: 'ask' }>): void {
    const { budgets, config: set } = this.#at(number)
    const call: Call = { at: this.#now, profile: getProfile(number), session, turn, tokens: estimate }
    const spender = { sessionId: session, turnId: turn, purpose: 'turn', provider: 'p', model: 'm' }
    const isOver = this.#limits(set, call).some(([used, most]) => most !== undefined && used >= most)
    const reserve = () => budgets.reserve(spender, { inputTokens: estimate, outputTokens: 0 })
    if (isOver) {
      this.refused++
      expect(catchCode(reserve)).toBe('BUDGET_EXCEEDED')
      return
    }
    const isHeld = /\d/.test(JSON.stringify(set))
    if (isHeld) this.#calls.push(call)
    this.#open.push({ caller: number, call, reservation: reserve(), isHeld })
  }

  #tool({ caller: number, session, turn }: Extract<Step, { do: 'tool' }>): void {
    const { budgets, config: set } = this.#at(number)
    const most = set.turn.tool_calls
    const count = () => budgets.countTool({ sessionId: session, turnId: turn })
    const used = this.#tools.get(turn) ?? 0
    const isOver = most !== undefined && used >= most
    expect(catchCode(count)).toBe(isOver ? 'BUDGET_EXCEEDED' : undefined)
    if (!isOver && most !== undefined) this.#tools.set(turn, used + 1)
  }

  #end({ which, how, tokens }: Extract<Step, { do: 'end' }>): void {
    const open = this.#open[which % Math.max(1, this.#open.length)]
    if (!open) return
    this.#open = this.#open.filter((other) => other !== open)
    const { call, reservation, isHeld } = open
    if (how === 'release') {
      reservation.release()
      if (isHeld) this.#calls.splice(this.#calls.indexOf(call), 1)
      return
    }
    if (!isHeld) this.#calls.push(call)
    if (how === 'uncounted') {
      reservation.settle({})
      return
    }
    call.tokens = tokens
    reservation.settle({ input: tokens, output: 0 })
    if (how === 'twice') reservation.settle({ input: tokens, output: 0 })
    if (how === 'twice') reservation.release()
  }

  /** What it held stays counted; what it did not hold was never written down. */
  async #crash(number: number): Promise<void> {
    const crashed = this.#at(number)
    this.#open = this.#open.filter((open) => open.caller !== number)
    await crashed.ledger.close()
    crashed.ledger = this.#make()
    this.#set(number, crashed.config)
  }

  #set(number: number, set: Config): void {
    const it = this.#at(number)
    it.config = set
    it.budgets = this.#budgets(it.ledger, set, getProfile(number))
  }

  #limits(set: Config, { at, profile, session, turn }: Call): (readonly [number, number | undefined])[] {
    const day = (call: Call) => new Date(call.at).toDateString() === new Date(at).toDateString()
    const month = (call: Call) =>
      new Date(call.at).getMonth() === new Date(at).getMonth() &&
      new Date(call.at).getFullYear() === new Date(at).getFullYear()
    const mine = (call: Call) => call.profile === profile
    const rows = [
      [set.account.day, day],
      [set.account.month, month],
      [set.profile.day, (call: Call) => mine(call) && day(call)],
      [set.profile.month, (call: Call) => mine(call) && month(call)],
      [set.session, (call: Call) => call.session === session],
      [set.turn, (call: Call) => call.turn === turn],
    ] as const
    return rows.flatMap(([most, isIts]) => {
      const used = this.#calls.filter(isIts).reduce((sum, { tokens }) => sum + tokens, 0)
      return [[used, most.tokens] as const, [used * RATE, most.usd] as const]
    })
  }

  #budgets(ledger: Ledger, set: Config, profile: string): LedgerBudgets {
    const clock = () => ({ ...virtualClock(), now: () => this.#now })
    const describe = () => ({ id: 'm', price })
    return new LedgerBudgets({ config: set, ledger, profile, groups: new Map(), clock, describe })
  }

  #at(number: number): Caller {
    const found = this.#callers[number]
    if (!found) throw new Error(`no caller ${number}`)
    return found
  }
}

const getProfile = (number: number) => (number === 0 ? 'x' : 'y')

function catchCode(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return errorCode(error)
  }
}

test('a cap refuses exactly when its period is spent, through clock jumps, other settings, crashes, retries and parallel callers', async () => {
  const kernel = await testKernel({ plugins: ['storage'] })
  onTestFinished(() => kernel.stop())
  const folder = mkdtempSync(join(tmpdir(), 'svc-budgets-'))
  onTestFinished(() => removeFolder(folder))
  let [runs, refused] = [0, 0]
  await fc.assert(
    fc.asyncProperty(caps, fc.array(step, { minLength: 20, maxLength: 150 }), async (first, steps) => {
      const file = join(folder, `${runs++}`, 'budgets.db')
      const world = new World(() => new Ledger(() => kernel.use(Storage), file))
      try {
        for (const one of steps) await world.take(one)
        for (const each of [0, 1, 2]) await world.take({ do: 'set', caller: each, caps: first })
        for (const turn of ['a', 'b'] as const)
          for (const each of [0, 1, 2]) await world.take({ do: 'ask', caller: each, session: turn, turn, estimate: 1 })
      } finally {
        refused += world.refused
        await world.close()
      }
    }),
    { numRuns: 40 },
  )
  expect(refused).toBeGreaterThan(0)
})
