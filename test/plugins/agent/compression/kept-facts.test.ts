import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import {
  collectFacts,
  missingFacts,
  renderFacts,
  splitFacts,
} from '../../../../plugins/agent/compression/kept-facts.ts'
import { cpuMs } from '../../../support/cpu-time.ts'

/** The tool of these stories that keeps the plan. */
const PLAN: ReadonlySet<string> = new Set(['todo'])

const call = (id: string, name: string, input: unknown): Message => ({
  role: 'assistant',
  text: '',
  toolCalls: [{ id, name, input }],
})
const result = (callId: string, text: string): Message => ({ role: 'tool', callId, text })

const work: readonly Message[] = [
  { role: 'user', text: 'Make the parser faster.' },
  call('1', 'todo', { todos: [] }),
  result('1', '2 of 2 open\n[ ] a: an older plan\n[ ] b: of two steps'),
  call('2', 'read_file', { path: 'src/parser.ts' }),
  result('2', 'text'),
  call('3', 'todo', { todos: [] }),
  result('3', '1 of 3 open\n[x] a: measure\n[>] b: write the table\n[-] c: nothing'),
  call('4', 'patch', {
    mode: 'patch',
    patch: '*** Begin Patch\n*** Update File: lib/table.ts\n@@\n-a\n+b\n*** End Patch',
  }),
  result('4', 'Patched.'),
  call('5', 'terminal', { command: 'npm test', background: true, workdir: '/work/app' }),
  result('5', 'Started as proc_3fa9c1.'),
  { role: 'assistant', text: 'The table is there. Shall I keep the old one? It is small. Which name do you want?' },
  { role: 'user', text: 'Keep it. Name it "old".' },
]
const of = (kind: string, facts = collectFacts(work, PLAN)) =>
  facts.flatMap((fact) => (fact.kind === kind ? [fact.text] : []))

test('what is wanted, asked, planned and worked with is found, of plans only the newest and its open steps', () => {
  expect(of('said')).toEqual(['Make the parser faster.', 'Keep it. Name it "old".'])
  expect(of('question')).toEqual(['Shall I keep the old one?', 'Which name do you want?'])
  expect(of('todo')).toEqual(['[>] b: write the table'])
  expect(of('touched')).toEqual(['src/parser.ts', 'lib/table.ts', '/work/app', 'proc_3fa9c1'])
})

test('only what is missing is added', () => {
  const facts = collectFacts(work, PLAN)
  const kept = work.slice(-2)
  const missing = missingFacts(facts, kept, 'We read src/parser.ts and were asked: Make the parser faster.')
  expect(missing.map(({ text }) => text)).toEqual([
    '[>] b: write the table',
    'lib/table.ts',
    '/work/app',
    'proc_3fa9c1',
  ])
})

test('facts that were written into a summary are read again, lines and all', () => {
  const facts = [
    { kind: 'said', text: 'Two lines:\n- todo: this is no step\n  and this is indented' },
    { kind: 'todo', text: '[ ] a: something' },
  ] as const
  const body = `The summary.\n\n${renderFacts(facts)}`
  expect(splitFacts(body)).toEqual({ text: 'The summary.', facts })
  expect(splitFacts('No facts.')).toEqual({ text: 'No facts.', facts: [] })
})

test('a text of a megabyte in which no sentence ends is looked through at once', () => {
  const text = 'word '.repeat(200_000)
  const messages: readonly Message[] = [
    { role: 'assistant', text },
    { role: 'user', text },
    call('1', 'terminal', { command: text, path: text, patch: text }),
    result('1', text),
  ]
  const took = cpuMs(() => expect(missingFacts(collectFacts(messages, PLAN), messages, '')).toEqual([]))
  expect(took).toBeLessThan(2000)
})
