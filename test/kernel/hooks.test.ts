import fc from 'fast-check'
import { decisionHook, type Hook, type HookOptions, notifyHook, type SvcError, transformHook, wrapHook } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { HookTable } from '../../kernel/hooks.ts'
import { createOwner } from '../support/owners.ts'

const Told = notifyHook<string>('test:told')
const Changed = transformHook<string, number>('test:changed')
const Allowed = decisionHook<string>('test:allowed', { verdict: () => ({ allow: false, reason: 'a check failed' }) })
const Skippable = wrapHook<string, string>('test:skippable', { failure: 'skip' })
const Strict = wrapHook<string, string>('test:strict', { failure: 'fail', limitMs: 1000 })

interface Failure {
  readonly plugin: string
  readonly hook: string
  readonly error: unknown
  readonly suspended: boolean
}

/** A table with typed `on` and `call`, and what was reported. */
function open() {
  const clock = virtualClock()
  const failures: Failure[] = []
  const table = new HookTable(clock, ({ name: plugin }, hook, error, suspended) => {
    failures.push({ plugin, hook, error, suspended })
  })
  return {
    clock,
    failures,
    table,
    on<L, V, C, R>(hook: Hook<L, V, C, R>, listener: NoInfer<L>, options: HookOptions & { by?: string } = {}) {
      return table.on(hook as never, createOwner(options.by ?? 'plugin'), listener as never, options)
    },
    async call<L, V, C, R>(hook: Hook<L, V, C, R>, value: V, context?: C): Promise<R> {
      return (await table.call(hook as never, value, context)) as R
    },
  }
}

test('a notify hook tells every listener in order and answers nothing', async () => {
  const { on, call } = open()
  const heard: string[] = []
  on(Told, async (event) => void heard.push(`first ${event}`))
  on(Told, (event) => void heard.push(`second ${event}`))
  expect(await call(Told, 'news')).toBeUndefined()
  expect(heard).toEqual(['first news', 'second news'])
})

test('a transform hook hands the value from listener to listener, and undefined leaves it', async () => {
  const { on, call } = open()
  on(Changed, (text, count) => text.repeat(count))
  on(Changed, () => undefined)
  on(Changed, async (text) => `${text}!`)
  expect(await call(Changed, 'ha', 2)).toBe('haha!')
})

test('a decide hook hears every listener, and the strictest verdict wins', async () => {
  const { on, call } = open()
  on(Allowed, () => undefined)
  on(Allowed, async () => ({ decision: 'allow' }), { by: 'easy', stage: -5000 })
  on(Allowed, () => ({ decision: 'deny', reason: 'not today' }), { by: 'strict' })
  expect(await call(Allowed, 'may I')).toEqual({
    decision: 'deny',
    allow: false,
    reason: 'not today',
    by: ['strict'],
  })
})

test('questions of all listeners that ask reach the caller', async () => {
  const { on, call } = open()
  const first = { reason: 'writes outside' }
  const second = { reason: 'costs money', action: 'buy', choices: ['once', 'deny'] } as const
  on(Allowed, () => ({ decision: 'ask', question: first }), { by: 'one' })
  on(Allowed, () => ({ allow: true }), { by: 'two' })
  on(Allowed, () => ({ decision: 'ask', reason: 'money', question: second }), { by: 'three' })
  const verdict = await call(Allowed, 'may I')
  expect(verdict).toMatchObject({ decision: 'ask', allow: false, questions: [first, second], by: ['one', 'three'] })
})

test('verdicts combine like a lattice: any order and any number of listeners give the strictest', async () => {
  const ranks = ['deny', 'ask', 'allow', 'abstain'] as const
  const given = {
    deny: { decision: 'deny' },
    ask: { decision: 'ask', question: { reason: 'why' } },
    allow: { allow: true },
    abstain: undefined,
  } as const
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...ranks), fc.integer())), async (list) => {
      const { on, call } = open()
      for (const [rank, stage] of list) on(Allowed, async () => given[rank], { stage })
      const strict = ranks.find((rank) => list.some(([each]) => each === rank))
      const verdict = await call(Allowed, 'may I')
      expect(verdict?.decision).toBe(strict === 'abstain' ? undefined : strict)
      expect(verdict?.allow ?? false).toBe(strict === 'allow')
    }),
  )
})

test.each([
  { block: 'yes', reason: 'in the dialect of another system' },
  { decision: 'block' },
  { allow: 'yes' },
  { allow: true, decision: 'deny' },
  { decision: 'ask', question: { action: 'no reason' } },
  { allow: true, reason: 42 },
  { allow: true, input: {} },
  false,
  'no',
  null,
  42,
  () => true,
])('what is not a verdict counts as the failure of its author: %j', async (value) => {
  const { on, call, failures } = open()
  on(Allowed, () => value as never, { by: 'foreign' })
  on(Allowed, () => ({ allow: true }), { by: 'friendly' })
  expect(await call(Allowed, 'may I')).toMatchObject({ decision: 'deny', reason: 'a check failed', by: ['foreign'] })
  expect(failures).toMatchObject([{ plugin: 'foreign', hook: 'test:allowed' }])
})

test('listeners that only have an order run in it', async () => {
  const { on, call } = open()
  on(Skippable, async (input, next) => `last(${await next(input)})`, { order: 51 })
  on(Skippable, async (input, next) => `first(${await next(input)})`, { order: 49 })
  expect(await call(Skippable, 'in', async (input) => input)).toBe('first(last(in))')
})

test('a wrap hook runs the first listener outermost and lets each change what goes in and comes out', async () => {
  const { on, call } = open()
  on(Skippable, async (input, next) => `outer(${await next(`${input}+outer`)})`)
  on(Skippable, async (input, next) => `inner(${await next(`${input}+inner`)})`)
  expect(await call(Skippable, 'in', async (input) => `[${input}]`)).toBe('outer(inner([in+outer+inner]))')
})

test('a wrap listener that does not call next answers in place of the work', async () => {
  const { on, call } = open()
  const work = vi.fn(async () => 'worked')
  on(Skippable, async () => 'from the cache')
  expect(await call(Skippable, 'in', work)).toBe('from the cache')
  expect(work).not.toHaveBeenCalled()
})

test('a wrap listener that calls next twice gets the same answer, and the work runs once', async () => {
  const { on, call } = open()
  const work = vi.fn(async (input: string) => `done ${input}`)
  on(Skippable, async (input, next) => `${await next(input)}, ${await next('again')}`)
  expect(await call(Skippable, 'a', work)).toBe('done a, done a')
  expect(work).toHaveBeenCalledTimes(1)
})

test('a hook that no one listens to leaves everything as it is', async () => {
  const { call } = open()
  expect(await call(Told, 'x')).toBeUndefined()
  expect(await call(Changed, 'same', 1)).toBe('same')
  expect(await call(Allowed, 'x')).toBeUndefined()
  expect(await call(Skippable, 'x', async (input) => input.toUpperCase())).toBe('X')
})

test('listeners stand by stage, then before whom they named, then as they came', async () => {
  const { on, call } = open()
  on(Changed, (text) => `${text}a`, { by: 'a' })
  on(Changed, (text) => `${text}b`, { by: 'b' })
  on(Changed, (text) => `${text}c`, { by: 'c', before: ['b'] })
  on(Changed, (text) => `${text}d`, { by: 'd', stage: 5 })
  on(Changed, (text) => `${text}e`, { by: 'e', stage: -5 })
  expect(await call(Changed, '', 0)).toBe('eacbd')
})

test('a listener stands behind those whom it names in after, whatever its stage; names that do not listen are ignored', async () => {
  const { on, call } = open()
  on(Changed, (text) => `${text}a`, { by: 'a', after: ['c', 'nobody'], stage: -5 })
  on(Changed, (text) => `${text}b`, { by: 'b' })
  on(Changed, (text) => `${text}c`, { by: 'c' })
  on(Changed, (text) => `${text}d`, { by: 'd' })
  expect(await call(Changed, '', 0)).toBe('bcad')
})

test('the four kinds put the same listeners in the same order', async () => {
  const listener = fc.record({ stage: fc.integer({ min: -2, max: 2 }), before: fc.subarray(['p0', 'p1', 'p2', 'p3']) })
  await fc.assert(
    fc.asyncProperty(fc.array(listener, { maxLength: 6 }), async (list) => {
      const { on, call } = open()
      const seen: Record<'notify' | 'transform' | 'decide' | 'wrap', number[]> = {
        notify: [],
        transform: [],
        decide: [],
        wrap: [],
      }
      for (const [at, options] of list.entries()) {
        const where = { ...options, by: `p${at}` }
        on(Told, () => void seen.notify.push(at), where)
        on(Changed, () => void seen.transform.push(at), where)
        on(Allowed, () => void seen.decide.push(at), where)
        const around = (input: string, next: (input: string) => Promise<string>) => {
          seen.wrap.push(at)
          return next(input)
        }
        on(Skippable, around, where)
      }
      await call(Told, '')
      await call(Changed, '', 0)
      await call(Allowed, '')
      await call(Skippable, '', async (input) => input)
      expect(new Set(Object.values(seen).map(String)).size).toBe(1)
      expect(seen.notify).toHaveLength(list.length)
    }),
    { numRuns: 60 },
  )
})

test('a listener that is taken away, or added, during a call counts from the next call on', async () => {
  const { on, call } = open()
  const heard: string[] = []
  on(Told, () => {
    heard.push('first')
    void remove()
    on(Told, () => void heard.push('new'))
  })
  const remove = on(Told, () => void heard.push('second'))
  await call(Told, 'x')
  expect(heard).toEqual(['first', 'second'])
  heard.length = 0
  await call(Told, 'x')
  expect(heard).toEqual(['first', 'new'])
})

test('a failing listener of a notify hook is skipped and reported by name', async () => {
  const { on, call, failures } = open()
  const heard = vi.fn()
  on(Told, () => Promise.reject(new Error('rejected')), { by: 'faulty' })
  on(Told, () => {
    throw new Error('thrown')
  })
  on(Told, heard)
  await call(Told, 'news')
  expect(heard).toHaveBeenCalledOnce()
  expect(failures).toMatchObject([
    { plugin: 'faulty', hook: 'test:told', error: { message: 'rejected' }, suspended: false },
    { plugin: 'plugin', error: { message: 'thrown' } },
  ])
})

test('a failing listener of a transform hook leaves the value as it was', async () => {
  const { on, call, failures } = open()
  on(Changed, (text) => `${text}1`)
  on(Changed, () => {
    throw new Error('no')
  })
  on(Changed, (text) => `${text}2`)
  expect(await call(Changed, '', 0)).toBe('12')
  expect(failures).toHaveLength(1)
})

test('a failing listener of a decide hook counts as the declared verdict, so a gate stays shut', async () => {
  const { on, call } = open()
  on(Allowed, () => {
    throw undefined
  })
  on(Allowed, () => ({ allow: true }))
  expect((await call(Allowed, 'may I'))?.decision).toBe('deny')
})

test('a failing listener of a skippable wrap is left out, and the work still runs once', async () => {
  const { on, call, failures } = open()
  const work = vi.fn(async (input: string) => `did ${input}`)
  on(Skippable, async () => Promise.reject(new Error('before next')), { by: 'early' })
  on(
    Skippable,
    async (input, next) => {
      await next(input)
      throw new Error('after next')
    },
    { by: 'late' },
  )
  expect(await call(Skippable, 'it', work)).toBe('did it')
  expect(work).toHaveBeenCalledTimes(1)
  expect(failures.map(({ plugin }) => plugin).sort()).toEqual(['early', 'late'])
})

test('a failing listener of a strict wrap fails the call and is named', async () => {
  const { on, call } = open()
  on(Strict, async () => Promise.reject(new Error('no disk')), { by: 'checkpoints' })
  const error = await call(Strict, 'it', async () => 'done').catch((reason) => reason as SvcError)
  expect(error).toMatchObject({ code: 'HOOK_FAILED', message: expect.stringContaining('checkpoints') })
  expect(error).toMatchObject({ cause: { message: 'no disk' } })
})

test.for([
  ['an error', new Error('the work failed')],
  ['nothing', undefined],
] as const)('work that fails with %s fails the call with just that, and no listener is blamed', async ([, reason]) => {
  const { on, call, failures } = open()
  on(Strict, (input, next) => next(input))
  on(Strict, async (input, next) => `<${await next(input)}>`)
  const outcome = call(Strict, 'it', () => Promise.reject(reason)).then(
    () => 'it passed',
    (error: unknown) => ({ error }),
  )
  expect(await outcome).toEqual({ error: reason })
  expect(failures).toEqual([])
})

test('a listener that takes too long is given up; its signal aborts and what it says later is ignored', async () => {
  const { on, call, clock, failures } = open()
  let signal: AbortSignal | undefined
  on(Changed, async (text, _context, info) => {
    signal = info.signal
    await clock.sleep(Changed.limitMs + 1)
    return `${text} too late`
  })
  on(Changed, (text) => `${text}!`)
  const answer = call(Changed, 'hi', 0)
  await clock.advance(Changed.limitMs - 1)
  expect(signal?.aborted).toBe(false)
  await clock.advance(2)
  expect(await answer).toBe('hi!')
  expect(signal?.aborted).toBe(true)
  expect(failures).toMatchObject([{ error: { code: 'PLUGIN_TIMEOUT', message: expect.stringContaining('5 s') } }])
})

test('a gate whose listener never answers denies', async () => {
  const { on, call, clock } = open()
  on(Allowed, () => new Promise(() => {}))
  const answer = call(Allowed, 'may I')
  await clock.advance(Allowed.limitMs)
  expect((await answer)?.decision).toBe('deny')
})

test('the time limit of a wrap covers the listener and all it wraps', async () => {
  const { on, call, clock, failures } = open()
  on(Strict, (input, next) => next(input))
  const answer = call(Strict, 'it', () => clock.sleep(5000).then(() => 'slow')).catch((error) => error as SvcError)
  await clock.advance(1000)
  expect(await answer).toMatchObject({ code: 'HOOK_FAILED', cause: { code: 'PLUGIN_TIMEOUT' } })
  expect(failures).toHaveLength(1)
  await clock.advance(5000)
})

test('a listener that answers in time leaves no timer behind', async () => {
  const { on, call, clock } = open()
  on(Told, () => clock.sleep(10))
  const told = call(Told, 'x')
  await clock.advance(10)
  await told
  expect(clock.pending()).toBe(0)
})

test('a listener learns the id of the hook it listens to', async () => {
  const { on, call } = open()
  const ids: string[] = []
  on(Told, (_event, info) => void ids.push(info.hook))
  on(Changed, (_text, _context, info) => void ids.push(info.hook))
  on(Skippable, (input, next, info) => {
    ids.push(info.hook)
    return next(input)
  })
  await call(Told, '')
  await call(Changed, '', 0)
  await call(Skippable, '', async () => '')
  expect(ids).toEqual(['test:told', 'test:changed', 'test:skippable'])
})

test('five failures in a minute suspend a listener, and only that one', async () => {
  const { on, call, failures } = open()
  const faulty = vi.fn(() => {
    throw new Error('always')
  })
  const well = vi.fn()
  on(Told, faulty, { by: 'faulty' })
  on(Told, well, { by: 'well' })
  for (let n = 0; n < 7; n++) await call(Told, 'x')
  expect(faulty).toHaveBeenCalledTimes(5)
  expect(well).toHaveBeenCalledTimes(7)
  expect(failures.map(({ suspended }) => suspended)).toEqual([false, false, false, false, true])
})

test('failures that are further apart than a minute do not add up', async () => {
  const { on, call, clock } = open()
  const faulty = vi.fn(() => {
    throw new Error('now and then')
  })
  on(Told, faulty)
  for (let n = 0; n < 20; n++) {
    await call(Told, 'x')
    await clock.advance(16_000)
  }
  expect(faulty).toHaveBeenCalledTimes(20)
})

test('a suspended gate still denies, without being asked', async () => {
  const { on, call } = open()
  const faulty = vi.fn(() => {
    throw new Error('always')
  })
  on(Allowed, faulty)
  for (let n = 0; n < 6; n++) expect((await call(Allowed, 'may I'))?.decision).toBe('deny')
  expect(faulty).toHaveBeenCalledTimes(5)
})

test('a suspended listener of a strict wrap fails the call, that of a skippable one is left out', async () => {
  const { on, call } = open()
  const fail = async () => Promise.reject(new Error('always'))
  on(Strict, fail, { by: 'guard' })
  on(Skippable, fail)
  for (let n = 0; n < 5; n++) {
    await call(Strict, '', async () => '').catch(() => undefined)
    await call(Skippable, '', async () => '')
  }
  await expect(call(Strict, '', async () => 'done')).rejects.toThrow('guard is suspended')
  expect(await call(Skippable, '', async () => 'done')).toBe('done')
})

test('suspended listeners are counted, and a new generation of the plugin starts afresh', async () => {
  const { table, call, on } = open()
  const fail = () => {
    throw new Error('always')
  }
  const first = createOwner('faulty')
  table.on(Told as never, first, fail)
  table.on(Told as never, first, () => {})
  on(Told, () => {}, { by: 'other' })
  for (let n = 0; n < 5; n++) await call(Told, 'x')
  expect(table.ownedBy(first)).toEqual({ taps: 2, suspended: 1 })
  const second = createOwner('faulty', { generation: 2 })
  table.on(Told as never, second, fail)
  expect(table.ownedBy(second)).toEqual({ taps: 1, suspended: 0 })
})

test('only live generations are called: a pending one not yet, a retired one no more', async () => {
  const { table, call } = open()
  const owner = createOwner('plugin', { state: 'pending' })
  const heard = vi.fn()
  table.on(Told as never, owner, heard)
  await call(Told, 'x')
  expect(heard).not.toHaveBeenCalled()
  owner.state = 'live'
  table.refresh()
  await call(Told, 'x')
  expect(heard).toHaveBeenCalledTimes(1)
  owner.state = 'retired'
  table.refresh()
  await call(Told, 'x')
  expect(heard).toHaveBeenCalledTimes(1)
})

test('what is no hook of this SDK is refused by name, to listen and to call', async () => {
  const { table } = open()
  const strange = [undefined, {}, { id: 'x' }, { id: 'x', kind: 'shout' }]
  for (const hook of strange) {
    expect(() => table.on(hook as never, createOwner('newer'), () => {})).toThrow('newer listens to')
    await expect(table.call(hook as never, 1)).rejects.toMatchObject({ code: 'HOOK_UNKNOWN' })
  }
})

const Counted = transformHook<number>('test:counted', { accepts: (value) => typeof value === 'number' })
const Kept = wrapHook<{ readonly name: string }, string>('test:kept', {
  failure: 'skip',
  mayPass: (before, after) => before === after,
})

test('a value that a transform does not accept is charged to its author and not to the next in line', async () => {
  const { on, call, failures } = open()
  on(Counted, () => null as never, { by: 'culprit' })
  on(Counted, (value) => value + 1, { by: 'innocent' })
  expect(await call(Counted, 1)).toBe(2)
  expect(failures).toMatchObject([{ plugin: 'culprit', error: { code: 'HOOK_VALUE' } }])
})

test('a listener without which nothing may go on stops the call, also once it is suspended', async () => {
  const { on, call } = open()
  const redact = vi.fn(() => {
    throw new Error('the redactor is down')
  })
  on(Counted, redact, { by: 'redactor', failure: 'stop' })
  for (let n = 0; n < 7; n++)
    await expect(call(Counted, 1)).rejects.toMatchObject({ code: 'HOOK_STOPPED', message: /redactor/ })
  expect(redact).toHaveBeenCalledTimes(5)
})

test('what is wrapped gets what was judged: a listener that passes something else on fails, and the work never runs', async () => {
  const { on, call, failures } = open()
  const work = vi.fn(async ({ name }: { name: string }) => name)
  on(Kept, (input, next) => next({ ...input, name: 'other' }), { by: 'rewriter', failure: 'stop' })
  await expect(call(Kept, { name: 'asked' }, work)).rejects.toMatchObject({ code: 'HOOK_FAILED', message: /rewriter/ })
  expect(work).not.toHaveBeenCalled()
  expect(failures).toMatchObject([{ plugin: 'rewriter', error: { code: 'HOOK_INPUT' } }])
})

test('a gate that is held shut denies, throws or fails by its kind, and says why', async () => {
  const why = 'watch guards this and does not run: config.yaml: watch.mode is "of"'
  const table = new HookTable(virtualClock(), () => {}, { heldBy: () => why, guards: () => false })
  table.on(Allowed as never, createOwner('friendly'), () => ({ allow: true }))
  expect(await table.call(Allowed as never, 'x')).toEqual({ decision: 'deny', allow: false, reason: why })
  await expect(table.call(Counted as never, 1)).rejects.toMatchObject({ code: 'GUARD_MISSING', message: why })
  await expect(table.call(Kept as never, { name: 'x' }, async () => 'ran')).rejects.toMatchObject({ message: why })
})

test('a listener for a hook of another kind is reported once with both kinds, and the others are called', async () => {
  const it = open()
  const heard: string[] = []
  it.on(transformHook<string>('test:told'), (value) => `${value}!`, { by: 'stranger' })
  it.on(Told, (value) => void heard.push(value))
  await it.call(Told, 'one')
  await it.call(Told, 'two')
  expect(heard).toEqual(['one', 'two'])
  expect(it.failures).toMatchObject([{ plugin: 'stranger', hook: 'test:told', suspended: false }])
  expect(it.failures[0]?.error).toMatchObject({
    code: 'HOOK_UNKNOWN',
    message: expect.stringMatching(/of the kind transform, but .* calls it as notify/),
  })
})

test('a gate that hears a listener for a hook of another kind denies', async () => {
  const it = open()
  it.on(transformHook<string>('test:allowed'), (value) => value, { by: 'stranger' })
  expect(await it.call(Allowed, 'x')).toMatchObject({ decision: 'deny' })
})

test('a listener may take longer than its hook allows, ten minutes at most, and never less', async () => {
  const { on, call, clock, failures } = open()
  const after = (ms: number, said: string) => async (text: string) => clock.sleep(ms).then(() => `${text} ${said}`)
  on(Changed, after(30_000, 'late'), { limitMs: 60_000, by: 'patient' })
  on(Changed, after(4000, 'on time'), { limitMs: 1, by: 'hasty' })
  on(Changed, after(700_000, 'never'), { limitMs: 9_000_000, by: 'endless' })
  const answer = call(Changed, 'text', 1)
  for (let passed = 0; passed < 700; passed++) await clock.advance(1000)
  expect(await answer).toBe('text late on time')
  expect(failures.map(({ plugin, error }) => [plugin, (error as Error).message])).toEqual([
    ['endless', expect.stringContaining('600 s')],
  ])
})

const ToolGate = decisionHook<{ readonly names: readonly string[] }>('test:tool-gate', {
  verdict: () => ({ allow: false, reason: 'a check failed' }),
  toolNames: ({ names }) => names,
})
const ToolValue = transformHook<string, readonly string[]>('test:tool-value', { toolNames: (_, names) => names })
const ToolRun = wrapHook<{ readonly names: readonly string[] }, string>('test:tool-run', {
  failure: 'fail',
  toolNames: ({ names }) => names,
})

test('a listener with a matcher is called for its tools only, by any of their names', async () => {
  const { on, call } = open()
  on(ToolGate, () => ({ allow: false, reason: 'not this one' }), { tools: ['Bash', 'write_file'] })
  on(ToolValue, (text) => `${text}!`, { tools: ['terminal'] })
  on(ToolRun, async (input, next) => `around ${await next(input)}`, { tools: ['terminal'] })
  const run = async () => 'ran'
  expect((await call(ToolGate, { names: ['terminal', 'Bash'] }))?.allow).toBe(false)
  expect(await call(ToolGate, { names: ['read_file'] })).toBeUndefined()
  expect(await call(ToolValue, 'text', ['terminal', 'Bash'])).toBe('text!')
  expect(await call(ToolValue, 'text', ['read_file'])).toBe('text')
  expect(await call(ToolRun, { names: ['terminal'] }, run)).toBe('around ran')
  expect(await call(ToolRun, { names: ['read_file'] }, run)).toBe('ran')
})

test('a listener that fails, and one that is suspended, means nothing for tools that it did not ask for', async () => {
  const { on, call, failures } = open()
  on(ToolGate, () => Promise.reject(new Error('broken')), { tools: ['terminal'] })
  on(ToolRun, () => Promise.reject(new Error('broken')), { tools: ['terminal'] })
  for (let count = 0; count < 6; count++) expect((await call(ToolGate, { names: ['terminal'] }))?.allow).toBe(false)
  expect(failures.some(({ suspended }) => suspended)).toBe(true)
  expect(await call(ToolGate, { names: ['read_file'] })).toBeUndefined()
  expect(await call(ToolRun, { names: ['read_file'] }, async () => 'ran')).toBe('ran')
  await expect(call(ToolRun, { names: ['terminal'] }, async () => 'ran')).rejects.toThrow(/broken/)
})

test('a matcher is refused where the hook is not about tools, and when it names none', () => {
  const { on } = open()
  expect(() => on(Told, () => {}, { tools: ['terminal'] })).toThrow(/not about tools/)
  for (const tools of [[], 'terminal', [7]])
    expect(() => on(ToolGate, () => undefined, { tools: tools as never })).toThrow(/not a list with names of tools/)
})

test.for([
  ['tells', Told, () => {}, undefined],
  ['changes', Changed, (value: string) => `${value}.`, `x${'.'.repeat(100)}`],
  ['decides', Allowed, () => ({ allow: true }), { allow: true }],
] as const)(
  'a hundred listeners that answer at once are no wait for a hook that %s',
  async ([, hook, listener, answer]) => {
    const { on, call, clock } = open()
    for (let count = 0; count < 100; count++) on(hook as never, listener as never)
    await call(hook as never, 'warm')
    let ticks = 0
    let isOver = false
    const counting = (async () => {
      while (!isOver) {
        ticks++
        await null
      }
    })()
    const result = await call(hook as never, 'x' as never)
    isOver = true
    await counting
    if (answer === undefined) expect(result).toBeUndefined()
    else expect(result).toEqual(typeof answer === 'string' ? answer : expect.objectContaining(answer))
    expect(ticks).toBeLessThan(10)
    expect(clock.pending()).toBe(0)
  },
)

test('a listener that takes time is waited for before the next one hears', async () => {
  const { on, call } = open()
  const heard: string[] = []
  on(Changed, (value) => `${value}a`)
  on(Changed, async (value) => {
    await new Promise((resolve) => setImmediate(resolve))
    heard.push(value)
    return `${value}b`
  })
  on(Changed, (value) => void heard.push(value))
  expect(await call(Changed, '')).toBe('ab')
  expect(heard).toEqual(['a', 'ab'])
})
