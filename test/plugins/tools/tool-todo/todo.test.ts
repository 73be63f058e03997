import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { type PluginContext, Sessions, type Tool, type ToolResult, Tools } from 'svc/sdk'
import { BeforePlanChange, type PlanChange } from 'svc/sdk/sessions'
import { ManagedDatabase, Storage } from 'svc/sdk/storage'
import { fakeToolTurn, type TestKernel, testKernel, toolContract, virtualClock } from 'svc/sdk/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { applyTodos } from '../../../../plugins/tools/tool-todo/plan.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const turn = (sessionId: string) => fakeToolTurn({ sessionId })

const kernelWith = (home?: string) =>
  testKernel({ plugins: ['tool-todo'], clock: virtualClock(), ...(home ? { home } : {}) })

/** The session of a name, begun when it is first used. */
function findOrCreateSession(kernel: TestKernel, title: string): string {
  const sessions = kernel.use(Sessions)
  const known = sessions.list({ title }).find((each) => each.title === title)
  return known?.id ?? sessions.create({ surface: 'cli', cwd: '/work', title }).id
}

async function call(kernel: TestKernel, input: object, name = 'first'): Promise<ToolResult> {
  const session = findOrCreateSession(kernel, name)
  const tool = kernel.all(Tools).get('todo') as Tool
  const parsed = await tool.input['~standard'].validate(input)
  if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
  return (await tool.run(parsed.value, turn(session))) as ToolResult
}

test('a plan is written, updated item by item and read again', async () => {
  const kernel = await kernelWith()
  expect((await call(kernel, {})).text).toBe('The plan is empty.')
  const todos = [
    { id: 'a', content: 'look', status: 'in_progress' },
    { id: 'b', content: 'mend' },
  ]
  expect((await call(kernel, { todos })).text).toBe('2 of 2 open\n[>] a: look\n[ ] b: mend')
  const more = [
    { id: 'a', status: 'completed' },
    { id: 'c', content: 'tell', status: 'cancelled' },
  ]
  await call(kernel, { todos: more, merge: true })
  expect(await call(kernel, {})).toMatchObject({
    text: '1 of 3 open\n[x] a: look\n[ ] b: mend\n[-] c: tell',
    data: { open: 1, todos: [{ id: 'a', content: 'look', status: 'completed' }, { id: 'b' }, { id: 'c' }] },
  })
  expect((await call(kernel, { todos: [{ id: 'z', content: 'new' }] })).text).toBe('1 of 1 open\n[ ] z: new')
  await kernel.stop()
})

test('a plugin denies that a step is completed, and the plan stays as it was; one that fails has no say', async () => {
  const changes: PlanChange[] = []
  const keeper = {
    name: 'keeper',
    setup: (ctx: PluginContext<undefined>) =>
      void ctx.on(BeforePlanChange, (change) => {
        changes.push(change)
        if (change.after.length === 0) throw new Error('a defect')
        const isDone = change.after.some(({ status }) => status === 'completed')
        return isDone ? { decision: 'deny', reason: 'the tests do not pass' } : undefined
      }),
  }
  await using kernel = await testKernel({ plugins: ['tool-todo'], with: [keeper] })
  await call(kernel, { todos: [{ id: 'a', content: 'mend' }] })
  const done = call(kernel, { todos: [{ id: 'a', status: 'completed' }], merge: true })
  await expect(done).rejects.toMatchObject({
    code: 'TODO_DENIED',
    message: 'The plan was not changed: the tests do not pass.',
  })
  expect((await call(kernel, {})).text).toBe('1 of 1 open\n[ ] a: mend')
  expect(changes).toMatchObject([
    { before: [], after: [{ id: 'a', status: 'pending' }] },
    { before: [{ status: 'pending' }], after: [{ status: 'completed' }] },
  ])
  await call(kernel, { todos: [] })
  expect((await call(kernel, {})).text).toBe('The plan is empty.')
})

test('each session has its own plan, and plans survive a restart', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-todo-'))
  const first = await kernelWith(home)
  await call(first, { todos: [{ id: '1', content: 'of one' }] }, 'one')
  await call(first, { todos: [{ id: '1', content: 'of two' }] }, 'two')
  await first.plugins.reload('tool-todo')
  expect((await call(first, {}, 'one')).text).toContain('of one')
  await first.stop()
  const second = await kernelWith(home)
  expect((await call(second, {}, 'two')).text).toContain('of two')
  await second.stop()
  removeFolder(home)
})

test('a refused change says what is missing and leaves the plan as it was', async () => {
  const kernel = await kernelWith()
  await call(kernel, { todos: [{ id: 'a', content: 'look' }] })
  const unknown = [
    { id: 'a', status: 'completed' },
    { id: 'x', status: 'completed' },
  ]
  await expect(call(kernel, { todos: unknown, merge: true })).rejects.toThrow('"x" is new and needs content')
  const many = Array.from({ length: 256 }, (_, at) => ({ id: `n${at}`, content: 'more' }))
  await expect(call(kernel, { todos: many, merge: true })).rejects.toThrow('256 items; this would be 257')
  await expect(call(kernel, { todos: [...many, { id: 'last', content: 'more' }] })).rejects.toThrow()
  await expect(call(kernel, { todos: [{ id: 'a', content: 'x'.repeat(4001) }] })).rejects.toThrow()
  await expect(call(kernel, { todos: [{ id: 'a', status: 'done' }] })).rejects.toThrow()
  expect((await call(kernel, {})).text).toBe('1 of 1 open\n[ ] a: look')
  await kernel.stop()
})

test('merging the same changes twice is merging them once', () => {
  const item = fc.record({ id: fc.constantFrom('a', 'b', 'c'), content: fc.constantFrom('x', 'y') })
  fc.assert(
    fc.property(fc.array(item), fc.array(item), (old, changes) => {
      const plan = applyTodos([], old, 256)
      const once = applyTodos(plan, changes, 256)
      expect(applyTodos(once, changes, 256)).toEqual(once)
      expect(once.slice(0, plan.length).map(({ id }) => id)).toEqual(plan.map(({ id }) => id))
    }),
  )
})

const samples = [
  { input: {}, text: 'The plan is empty.' },
  { input: { todos: [{ id: '1', content: 'look' }], merge: true }, text: '[ ] 1: look' },
]

describe('the plan tool keeps the contract of tools', async () => {
  const kernel = await kernelWith()
  afterAll(() => kernel.stop())
  const tool = kernel.all(Tools).get('todo') as Tool
  const sessionId = findOrCreateSession(kernel, 'contract')
  test.for(toolContract(tool, samples, { sessionId }))('todo $name', ({ run }) => run())
  test('todo is told to the model in at most 700 bytes', () => {
    const schema = tool.input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
    const { $schema: _, additionalProperties: __, ...parameters } = schema ?? {}
    const { name, description } = tool
    expect(Buffer.byteLength(JSON.stringify({ name, description, parameters }))).toBeLessThanOrEqual(700)
  })
})

test('a plan of an earlier database becomes part of its session once', async () => {
  const kernel = await kernelWith()
  const file = join(kernel.home, 'data', 'tool-todo', 'todo.db')
  mkdirSync(dirname(file), { recursive: true })
  const migrations = [
    `CREATE TABLE plans (session TEXT PRIMARY KEY, changed_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
     CREATE TABLE items (session TEXT NOT NULL REFERENCES plans (session) ON DELETE CASCADE, place INTEGER NOT NULL,
       id TEXT NOT NULL, content TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (session, place)) STRICT, WITHOUT ROWID`,
  ]
  const earlier = new ManagedDatabase(() => kernel.use(Storage), { file, migrations })
  const session = findOrCreateSession(kernel, 'first')
  earlier.use((database) => {
    database.prepare('INSERT INTO plans VALUES (?, 1)').run(session)
    database.prepare("INSERT INTO items VALUES (?, 0, 'a', 'from before', 'in_progress')").run(session)
  })
  expect((await call(kernel, {})).text).toBe('1 of 1 open\n[>] a: from before')
  expect(earlier.use((database) => database.prepare('SELECT * FROM items').all())).toEqual([])
  expect((await call(kernel, {})).text).toBe('1 of 1 open\n[>] a: from before')
  await earlier.close()
  await kernel.stop()
})
