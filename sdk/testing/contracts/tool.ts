/** What `Tool` promises to the agent and to the model. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Tool, ToolContext, ToolResult } from '../../tools.ts'
import { fakeToolTurn } from '../tool-turn.ts'
import { type ContractCase, inFolder, soon } from './contract.ts'

/** A call to try. It runs several times, each time in a fresh folder. @since 0.1 */
export interface ToolSample {
  readonly input: unknown
  /** Files of the working folder, by relative path. */
  readonly files?: Readonly<Record<string, string>>
  /** What the answer contains or matches. */
  readonly text?: string | RegExp
  /** The call is meant to go wrong. */
  readonly failed?: boolean
}

const SCHEMA_LIMIT = 4096
const DESCRIPTION_LIMIT = 2048
/** Milliseconds. */
const RUN_MS = 30_000
const STOP_MS = 3000

/** Of the turn that calls run in: a session that there is, for a tool that stores state with it. @since 0.2 */
export type ContractTurn = Pick<Partial<ToolContext>, 'sessionId'>

/** The cases that a tool passes: what it tells the model and refuses, and how it runs each sample. @since 0.1 */
export function toolContract(tool: Tool, samples: readonly ToolSample[] = [], turn: ContractTurn = {}): ContractCase[] {
  return [
    { name: 'has a name, a description, a toolset and an effect', run: async () => checkFacts(tool) },
    { name: 'tells the model its parameters in a small JSON Schema', run: async () => void readInputSchema(tool) },
    { name: 'refuses input that is not what it asks for', run: () => refusesBadInput(tool) },
    ...(tool.view ? [{ name: 'shows any call, whatever the model wrote', run: async () => showsAnything(tool) }] : []),
    ...samples.flatMap((sample) => sampleCases({ tool, turn }, sample)),
  ]
}

/** What is called, and in which turn. */
interface Subject {
  readonly tool: Tool
  readonly turn: ContractTurn
}

function sampleCases(subject: Subject, sample: ToolSample): ContractCase[] {
  const { tool } = subject
  const call = JSON.stringify(sample.input).slice(0, 60)
  const cases: ContractCase[] = [
    { name: `answers ${call}`, run: () => answers(subject, sample) },
    { name: `stops when interrupted in ${call}`, run: () => stops(subject, sample) },
  ]
  if (tool.effect === 'pure')
    cases.push({ name: `is pure: ${call} changes no file`, run: () => changesNothing(subject, sample) })
  if (tool.effect === 'idempotent')
    cases.push({ name: `is idempotent: ${call} twice is once`, run: () => repeatsHarmlessly(subject, sample) })
  return cases
}

function checkFacts(tool: Tool): void {
  assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/, 'its name has letters that models do not take')
  assert.ok(tool.description.trim(), 'its description is empty')
  assert.ok(tool.description.length <= DESCRIPTION_LIMIT, `its description is over ${DESCRIPTION_LIMIT} characters`)
  assert.ok(tool.toolset?.trim() !== '', 'it belongs to no toolset')
  assert.ok(
    ['pure', 'idempotent', 'once', 'undoable'].includes(tool.effect ?? 'once'),
    `"${tool.effect}" is not an effect`,
  )
}

function readInputSchema(tool: Tool): Record<string, unknown> {
  const schema = tool.input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
  assert.ok(schema, 'its input has no JSON Schema; zod 4.2 or newer brings one')
  assert.ok(schema['type'] === 'object', 'the JSON Schema of its input is not of type object')
  const size = JSON.stringify(schema).length
  assert.ok(size <= SCHEMA_LIMIT, `its JSON Schema has ${size} characters; every request pays for them`)
  return schema
}

async function refusesBadInput(tool: Tool): Promise<void> {
  const required = readInputSchema(tool)['required']
  const lacking = Array.isArray(required) && required.length ? [{}] : []
  for (const input of [null, 'text', 42, [], ...lacking]) {
    const { issues } = await tool.input['~standard'].validate(input)
    assert.ok(issues?.length, `it takes ${JSON.stringify(input)} for good input`)
    assert.ok(
      issues.every(({ message }) => message),
      'an issue does not say what is wrong',
    )
  }
}

/** A view is also asked about what a model wrote wrongly, and about what an older version stored. */
function showsAnything({ name, view }: Tool): void {
  for (const state of ['wanted', 'running', 'done', 'failed'] as const)
    for (const junk of [undefined, null, 'text', 42, [], {}]) {
      const call = { name, state, input: junk, data: junk, text: 'text' }
      assert.ok(typeof view?.title(call) === 'string', `its view has no title for a call with the input ${junk}`)
      for (const part of [view.body?.(call), view.inline?.(call)])
        assert.ok(part === undefined || typeof part.text === 'string', 'its view shows a part without a text')
    }
}

async function answers(subject: Subject, sample: ToolSample): Promise<void> {
  await inWorkplace(sample, async (cwd) => {
    const input = await parsed(subject.tool, sample)
    const before = structuredClone(input)
    const paths = subject.tool.paths?.(input, cwd) ?? []
    assert.ok(
      paths.every((path) => isAbsolute(path)),
      'paths() gives something else than absolute paths',
    )
    const result = await soon(RUN_MS, 'the call', runTool(subject, input, cwd))
    assert.deepEqual(input, before, 'it changed its input')
    assert.ok((result.failed ?? false) === (sample.failed ?? false), `failed is not as expected: ${result.text}`)
    if (result.data !== undefined) assert.ok(JSON.stringify(result.data), 'its data is not plain data')
    if (typeof sample.text === 'string') assert.ok(result.text.includes(sample.text), `it answered: ${result.text}`)
    else if (sample.text) assert.match(result.text, sample.text)
  })
}

async function stops(subject: Subject, sample: ToolSample): Promise<void> {
  const input = await parsed(subject.tool, sample)
  await inWorkplace(sample, async (cwd) => {
    await soon(STOP_MS, 'a call of an interrupted turn', runTool(subject, input, cwd, AbortSignal.abort()))
  })
  await inWorkplace(sample, async (cwd) => {
    const abort = new AbortController()
    const running = runTool(subject, input, cwd, abort.signal)
    setImmediate(() => abort.abort())
    await soon(STOP_MS, 'the end of an interrupted call', running)
  })
}

async function changesNothing(subject: Subject, sample: ToolSample): Promise<void> {
  const input = await parsed(subject.tool, sample)
  await inWorkplace(sample, async (cwd) => {
    const before = snapshot(cwd)
    await soon(RUN_MS, 'the call', runTool(subject, input, cwd))
    assert.deepEqual(snapshot(cwd), before, 'a pure tool changed the working folder')
  })
}

async function repeatsHarmlessly(subject: Subject, sample: ToolSample): Promise<void> {
  const input = await parsed(subject.tool, sample)
  await inWorkplace(sample, async (cwd) => {
    const first = await soon(RUN_MS, 'the call', runTool(subject, input, cwd))
    const after = snapshot(cwd)
    const second = await soon(RUN_MS, 'the repeated call', runTool(subject, input, cwd))
    assert.deepEqual(snapshot(cwd), after, 'the repeated call changed the working folder')
    assert.ok(second.failed === first.failed, `the repeated call failed: ${second.text}`)
  })
}

async function parsed(tool: Tool, { input }: ToolSample): Promise<unknown> {
  const result = await tool.input['~standard'].validate(input)
  const issues = result.issues?.map(({ message }) => message).join('; ')
  if (result.issues) assert.fail(`its schema refuses the sample ${JSON.stringify(input)}: ${issues}`)
  return result.value
}

/** As the agent does it: what a tool throws becomes a failed result. */
async function runTool(subject: Subject, input: unknown, cwd: string, signal?: AbortSignal): Promise<ToolResult> {
  const { tool } = subject
  const turn = fakeToolTurn({
    ...subject.turn,
    cwd,
    ...(signal && { signal }),
    progress: (text) => assert.ok(typeof text === 'string', 'progress takes text'),
  })
  let result: string | ToolResult
  try {
    result = await tool.run(input, turn)
  } catch (error) {
    assert.ok(error instanceof Error && error.message, `it threw "${error}", which says nothing to the model`)
    return { text: error.message, failed: true }
  }
  if (typeof result === 'string') return { text: result }
  assert.ok(typeof result?.text === 'string', 'it gave neither text nor a result with text')
  return result
}

async function inWorkplace(sample: ToolSample, work: (cwd: string) => Promise<void>): Promise<void> {
  await inFolder(async (cwd) => {
    for (const [name, content] of Object.entries(sample.files ?? {})) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true })
      writeFileSync(join(cwd, name), content)
    }
    await work(cwd)
  })
}

/** Every file of a folder with its bytes. */
function snapshot(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name)
      return [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'base64')]
    }),
  )
}
