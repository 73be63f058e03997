/** Published clients, unchanged, against the built gateway: in every turn but the last of some the agent uses a tool. */
import { afterAll, expect, test } from 'vitest'
import {
  type CaseResult,
  type Installed,
  installLibraries,
  installPrograms,
  installPython,
  playClient,
} from '../support/api-clients.ts'
import { type Served, serve } from '../support/api-gateway.ts'
import { isToday } from '../support/today.ts'

const LONG_MS = 300_000
/** Anyone who is missing keeps all others waiting. */
const MEETING_MS = 120_000

const [libraries, programs, python] = [installLibraries(), installPrograms(), installPython()]
for (const { problem } of [libraries, programs, python]) if (problem !== undefined) process.stdout.write(`${problem}\n`)

interface Client {
  readonly name: string
  readonly from: Installed
  readonly script: readonly string[]
  /** Cases that it has to play. */
  readonly count: number
}

const clients: readonly Client[] = [
  { name: 'openai-node 4', from: libraries, script: ['openai.mjs', '4'], count: 14 },
  { name: 'openai-node 5', from: libraries, script: ['openai.mjs', '5'], count: 14 },
  { name: 'openai-node 6', from: libraries, script: ['openai.mjs', '6'], count: 15 },
  { name: 'openai-node 7', from: libraries, script: ['openai.mjs', '7'], count: 15 },
  { name: 'the AI SDK 6', from: libraries, script: ['ai-sdk.mjs', '6'], count: 24 },
  { name: 'the AI SDK 7', from: libraries, script: ['ai-sdk.mjs', '7'], count: 30 },
  { name: 'LangChain', from: libraries, script: ['langchain.mjs'], count: 10 },
  { name: 'the Agents SDK', from: libraries, script: ['agents.mjs'], count: 13 },
  { name: 'codex', from: programs, script: ['programs/codex.mjs'], count: 7 },
  { name: 'pi', from: programs, script: ['programs/pi.mjs'], count: 12 },
  { name: 'openai-python', from: python, script: ['python/client.py'], count: 16 },
]
/** Libraries in one process, which do not meet the others. */
const structured: Client = { name: 'structured output', from: libraries, script: ['structured.mjs'], count: 36 }
const present = clients.filter(({ from }) => from.problem === undefined)

let shared: Promise<Served> | undefined
const served: Served[] = []
const begin = async (options?: Parameters<typeof serve>[0]) => {
  const one = await serve(options)
  served.push(one)
  return one
}
afterAll(() => Promise.all(served.map((one) => one.close())))

/** One row for each client, for the notes of a release. */
const table: string[] = []
afterAll(() => void process.stdout.write(`${table.join('\n')}\n`))

/** Each alone every third day; all together every day. */
for (const { name, from, script, count } of [...clients, structured].filter((_, at) => isToday(at, 3)))
  test.skipIf(from.problem !== undefined)(
    `${name} works as published, and calls no tool of its own for the agent`,
    async () => {
      shared ??= begin()
      const results = await playClient(from, await shared, script)
      note(name, results)
      expect(results.filter(({ ok }) => !ok)).toEqual([])
      expect(results).toHaveLength(count)
    },
    LONG_MS,
  )

test.skipIf(present.length < 2)(
  'all clients talk at once, and each gets its own answer',
  async () => {
    const server = await begin({ meeting: present.length })
    const results = await Promise.all(present.map(({ from, script }) => playClient(from, server, [...script, 'meet'])))
    note('all at once', results.flat())
    expect(results.flat().filter(({ ok }) => !ok)).toEqual([])
    expect(results.flat()).toHaveLength(present.length)
  },
  MEETING_MS,
)

function note(name: string, results: readonly CaseResult[]): void {
  process.stdout.write(`${results.map(formatResult).join('\n')}\n`)
  const failed = results.filter(({ ok }) => !ok).length
  table.push(`${name}: ${results.length - failed} passed, ${failed} failed`)
}

function formatResult({ client, name, ok, problem }: CaseResult): string {
  return `${ok ? 'passed' : 'FAILED'}  ${client}: ${name}${problem ? ` (${problem})` : ''}`
}
