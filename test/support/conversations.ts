/** Conversations as the agent keeps them, for general rules: every call has its result, in any mixture of turns. */
import fc from 'fast-check'
import type { Message } from 'svc/sdk'

const text = fc.oneof(fc.constant(''), fc.constant(' \n'), fc.string({ unit: 'binary', maxLength: 12 }))
const image = fc.record({ mediaType: fc.constantFrom('image/png', 'image/tiff'), data: fc.constant('AAAA') })
const call = fc.record({ name: fc.constantFrom('read_file', 'terminal'), input: fc.jsonValue({ maxDepth: 2 }) })
const user = fc
  .record({ text, images: fc.array(image, { maxLength: 2 }) })
  .map(({ text: said, images }): Message[] => [{ role: 'user', text: said, images }])
const system = text.map((said): Message[] => [{ role: 'system', text: said }])

/** One answer of the model with the results of its calls. Ids are made unique when the turns are put together. */
const answer = fc
  .record({ text, calls: fc.array(fc.tuple(call, text, fc.array(image, { maxLength: 1 })), { maxLength: 3 }) })
  .map(({ text: said, calls }): Message[] => [
    { role: 'assistant', text: said, toolCalls: calls.map(([asked], at) => ({ id: `${at}`, ...asked })) },
    ...calls.map(([, result, images], at): Message => ({ role: 'tool', callId: `${at}`, text: result, images })),
  ])

/** Any conversation that an agent may have had. */
export const conversation: fc.Arbitrary<Message[]> = fc
  .array(fc.oneof(user, system, answer), { minLength: 1, maxLength: 8 })
  .map((turns) => turns.flatMap((turn, at) => turn.map((message) => withTurn(message, `call:${at}/`))))

function withTurn(message: Message, prefix: string): Message {
  if (message.role === 'tool') return { ...message, callId: prefix + message.callId }
  if (message.role !== 'assistant' || !message.toolCalls) return message
  return { ...message, toolCalls: message.toolCalls.map((each) => ({ ...each, id: prefix + each.id })) }
}
