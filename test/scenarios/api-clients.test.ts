/** Published clients, unchanged, against the built gateway: in every turn but the last of some the agent uses a tool. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CaseResult, installClients, playClient } from '../support/api-clients.ts'
import { type Served, serve } from '../support/api-gateway.ts'

const LONG_MS = 300_000

const { folder, problem } = installClients()
let served: Served | undefined

beforeAll(async () => {
  if (problem === undefined) served = await serve()
  else process.stdout.write(`${problem}\n`)
}, LONG_MS)
afterAll(() => served?.close())

test.skipIf(problem !== undefined).each([
  ['openai-node 4', 14, ['openai', '4']],
  ['openai-node 5', 14, ['openai', '5']],
  ['openai-node 6', 14, ['openai', '6']],
  ['openai-node 7', 14, ['openai', '7']],
  ['the AI SDK', 24, ['ai-sdk']],
  ['LangChain', 10, ['langchain']],
  ['the Agents SDK', 13, ['agents']],
])(
  '%s works as published, and calls no tool of its own for the agent',
  async (_name, count, script) => {
    if (!served) throw new Error('nothing is served')
    const results = await playClient(folder, served, script)
    process.stdout.write(`${results.map(lineOf).join('\n')}\n`)
    expect(results.filter(({ ok }) => !ok)).toEqual([])
    expect(results).toHaveLength(count)
  },
  LONG_MS,
)

function lineOf({ client, name, ok, problem: why }: CaseResult): string {
  return `${ok ? 'passed' : 'FAILED'}  ${client}: ${name}${why === undefined ? '' : ` (${why})`}`
}
