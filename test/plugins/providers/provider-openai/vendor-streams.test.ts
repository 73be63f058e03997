import type { ModelProvider } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-openai/assemble.ts'
import { catalog } from '../../../../plugins/providers/provider-openai/catalog.ts'
import { chatWire } from '../../../../plugins/providers/provider-openai/wire.ts'
import { collectFailure, request } from '../../../support/ask-model.ts'
import { listCuts, replay } from '../../../support/replay.ts'
import { startSseService } from '../../../support/sse-service.ts'
import { customAt } from './ask.ts'
import { type VendorStream, vendorStreams } from './recordings/vendors.ts'

function getEntry(id: string) {
  const found = catalog.find((entry) => entry.id === id)
  if (!found) throw new Error(`no entry ${id}`)
  return found
}

function createStream({ lines }: VendorStream, eol: string): Buffer {
  const written = lines.map((line) => {
    if (typeof line === 'object') return `data: ${JSON.stringify(line)}${eol}${eol}`
    return line === '[DONE]' ? `data: [DONE]${eol}${eol}` : `${line}${eol}`
  })
  return Buffer.from(written.join(''))
}

const titled = vendorStreams.map((each) => [`${each.vendor}: ${each.what}`, each] as const)

test.for(titled)('a stream of %s is read alike however it is cut', ([, each]) => {
  for (const eol of ['\n', '\r\n'])
    for (const [way, pieces] of listCuts(createStream(each, eol))) {
      const answer = new Answer(() => 'new', getEntry(each.vendor))
      const events = replay(pieces, answer)
      if (each.error) expect(JSON.stringify(answer.error), way).toMatch(each.error)
      else expect(events, way).toEqual(each.expected)
    }
})

test.for(titled.filter(([, { error }]) => error))(
  '%s reaches people as a failure with its reason',
  async ([, each]) => {
    const server = await startSseService(() => ({ events: createStream(each, '\n') }))
    const failure = await collectFailure((await customAt(`${server.url}/v1`)) satisfies ModelProvider)
    await server.close()
    expect(failure.message).toMatch(each.error ?? /./)
    expect(failure.kind).not.toMatch(/garbled|cut/)
  },
)

test('the signature of a call of Gemini goes back to where it came from, and nowhere else', () => {
  const carry = { provider: 'custom', data: { extras: [null, { google: { thought_signature: 'c2ln' } }] } }
  const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'get_weather', input: {} }))
  const messages = [
    { role: 'user', text: 'Go.' },
    { role: 'assistant', text: '', toolCalls, carry },
    { role: 'tool', callId: 'a', text: 'Rain.' },
    { role: 'tool', callId: 'b', text: 'Sun.' },
  ] as const
  const sentTo = (id: string): { extra_content?: object }[] => {
    const asked = request({ messages })
    const body = JSON.parse(chatWire.body(asked, getEntry(id), chatWire.options(asked, getEntry(id))))
    return body.messages[1].tool_calls
  }
  expect(sentTo('custom').map((call) => call.extra_content)).toEqual([
    undefined,
    { google: { thought_signature: 'c2ln' } },
  ])
  expect(JSON.stringify(sentTo('openai'))).not.toContain('extra_content')
})
