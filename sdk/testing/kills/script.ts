/** The scripted model of a gateway that is killed: what it says on each way on which a message leaves. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Message } from '../../messages.ts'
import type { ModelEvent, ModelProvider } from '../../providers.ts'

/**
 * `reply`: a short answer; `stream`: one that grows; `tool`: the agent sends it with a tool; `approval`: the answer after a person said
 * yes; `job`: posted without a question; `files`: two files with an answer; `speech`: what was understood of a voice message, the answer, and
 * the answer as speech.
 * @since 0.2
 */
export type MessageWay = 'reply' | 'stream' | 'tool' | 'approval' | 'job' | 'files' | 'speech'

/** In the order in which they are tried; `speech` needs a platform whose voice messages come in and go out. */
export const messageWays: readonly MessageWay[] = ['reply', 'stream', 'tool', 'approval', 'job', 'files']

/** What is to arrive, and by what it is known in a message. */
export const ANSWER = 'the answer is forty-two'
export const MARK = 'forty-two'
export const FILES: readonly string[] = ['forty-two.pdf', 'forty-three.pdf']
/** The folder of the question that is asked on the way `approval`. */
export const ASKED = 'nothing-here'

const pieces = ANSWER.split(/(?<= )/).flatMap((word) => [word, 'and also some more words that are not needed, '])
const WORD_MS = 2

type Call = Extract<ModelEvent, { readonly type: 'tool-call' }>['call']

/** `target`: where `send_message` sends to. */
export function scriptedModel(way: MessageWay, target: string): ModelProvider {
  const call = firstCall(way, target)
  return {
    name: 'script',
    label: 'Script',
    status: async () => ({ ready: true, detail: 'always' }),
    models: async () => [{ id: 'script-1' }],
    async *stream({ messages }) {
      const wanted = messages.some(({ role }) => role === 'tool') ? undefined : call
      const rest = findRest(messages, way)
      if (rest !== undefined || isLateYes(messages)) yield { type: 'text', text: rest || 'That was all.' }
      else if (wanted) yield { type: 'tool-call', call: wanted }
      else yield* words(way)
      yield { type: 'usage', usage: { input: 1, output: 1 } }
      yield { type: 'end', reason: wanted ? 'tool-calls' : 'stop' }
    },
  }
}

function firstCall(way: MessageWay, target: string): Call | undefined {
  if (way === 'tool') return { id: 'call-1', name: 'send_message', input: { target, message: ANSWER } }
  if (way === 'files') return { id: 'call-1', name: 'send_message', input: { files: FILES } }
  return way === 'approval' ? { id: 'call-1', name: 'terminal', input: { command: `rm -rf ${ASKED}` } } : undefined
}

async function* words(way: MessageWay): AsyncGenerator<ModelEvent> {
  if (way !== 'stream') return yield { type: 'text', text: way === 'tool' || way === 'files' ? 'Sent.' : ANSWER }
  for (const text of pieces) {
    yield { type: 'text', text }
    await pause(WORD_MS)
  }
}

const saidBy = (message: Message) => ('text' in message ? (message.text ?? '') : '')

/** What it had still to say when it was cut off; undefined when it was not. */
function findRest(messages: readonly Message[], way: MessageWay): string | undefined {
  const last = messages.at(-1)
  if (!last || !saidBy(last).includes('was cut off')) return undefined
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const said = answer ? saidBy(answer) : ''
  const all = way === 'stream' ? pieces.join('') : way === 'files' ? 'Sent.' : ANSWER
  return all.startsWith(said) ? all.slice(said.length) : ''
}

/** The person says yes once more, after the answer: a "yes" that came before its question was asked again is a request. */
function isLateYes(messages: readonly Message[]): boolean {
  const last = messages.at(-1)
  const isYes = last?.role === 'user' && saidBy(last).startsWith('yes')
  return isYes && messages.some((message) => message.role === 'assistant' && saidBy(message).includes(MARK))
}
