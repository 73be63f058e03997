/** Conversations that no one has thought of. */
import fc from 'fast-check'
import type { Message, ToolCall } from 'svc/sdk'

const words = fc.array(fc.constantFrom('move', 'the', 'file', 'why?', 'done.', 'test', '日本語', '🙂', 'and\nthen'), {
  minLength: 1,
  maxLength: 30,
})
const sentence = words.map((list) => list.join(' '))
const long = fc.tuple(sentence, fc.integer({ min: 1, max: 120 })).map(([text, times]) => `${text}\n`.repeat(times))
const path = fc.constantFrom('src/a.ts', 'src/b c.ts', '/etc/hosts', 'docs/"x".md', 'a\\b.txt')

const step = fc.record({
  say: fc.option(sentence, { nil: '' }),
  calls: fc.array(
    fc.record({
      name: fc.constantFrom('read_file', 'terminal', 'todo', 'write_file'),
      path,
      result: long,
      failed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})
const exchange = fc.record({
  ask: fc.oneof(sentence, long),
  picture: fc.boolean(),
  steps: fc.array(step, { maxLength: 8 }),
  answer: fc.option(sentence, { nil: undefined }),
})

type Exchange = typeof exchange extends fc.Arbitrary<infer T> ? T : never
type Step = Exchange['steps'][number]

/** Well-formed, as the agent repairs it: roles alternate, calls are answered in order; the last exchange may be open. */
export const conversation: fc.Arbitrary<Message[]> = fc
  .array(exchange, { minLength: 1, maxLength: 8 })
  .map((list) => list.flatMap((each, at) => createMessages(each, at, at === list.length - 1)))

const image = { mediaType: 'image/png', data: 'AAAA' }

function createMessages({ ask, picture, steps, answer }: Exchange, at: number, isLast: boolean): Message[] {
  const asked: Message = { role: 'user', text: `${at}: ${ask}`, ...(picture && { images: [image] }) }
  const worked = steps.flatMap((each, index) => stepMessages(each, `${at}_${index}`))
  const isOpen = isLast && answer === undefined
  return [asked, ...worked, ...(isOpen ? [] : [{ role: 'assistant', text: answer ?? 'Done.' } as const])]
}

function stepMessages({ say, calls }: Step, place: string): Message[] {
  const toolCalls = calls.map(({ name, path: file }, index): ToolCall => {
    return { id: `call_${place}_${index}`, name, input: { path: file } }
  })
  const results = calls.map(({ name, result, failed }, index): Message => {
    const text = name === 'todo' ? `1 of 2 open\n[ ] a${place}: go on\n[x] b: over` : result
    return { role: 'tool', callId: toolCalls[index]?.id ?? '', text, ...(failed && { failed }) }
  })
  return [{ role: 'assistant', text: say, toolCalls }, ...results]
}

/** What model services refuse. */
export function faults(messages: readonly Message[]): string[] {
  return messages.flatMap((message, at) => {
    if (message.role === 'tool') return isAnswer(messages, at) ? [] : [`an answer to nothing at ${at}`]
    const isTwice = messages[at - 1]?.role === message.role
    return [...(isTwice ? [`${message.role} twice at ${at}`] : []), ...unanswered(messages, at)]
  })
}

function unanswered(messages: readonly Message[], at: number): string[] {
  const message = messages[at]
  const ids = message?.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : []
  const answers = messages.slice(at + 1, at + 1 + ids.length)
  const isWhole = ids.every((id, index) => {
    const answer = answers[index]
    return answer?.role === 'tool' && answer.callId === id
  })
  return isWhole ? [] : [`calls without answers at ${at}`]
}

function isAnswer(messages: readonly Message[], at: number): boolean {
  const message = messages[at]
  const caller = messages.slice(0, at).findLast(({ role }) => role !== 'tool')
  if (message?.role !== 'tool' || caller?.role !== 'assistant') return false
  return (caller.toolCalls ?? []).some(({ id }) => id === message.callId)
}
