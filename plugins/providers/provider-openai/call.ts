/** One call over either wire, as data for `callModel`. */
import type { ModelCall, ModelRequest } from 'svc/sdk'
import { PICTURES } from './answer.ts'
import { type Endpoint, requestTo } from './endpoint.ts'
import { formatsOf } from './formats.ts'
import { type Options, Refusals, refusedBy } from './options.ts'
import { responsesWire } from './responses-wire.ts'
import { changeSentence, errorsOf, nameOf, pathOf } from './sentences.ts'
import { chatWire } from './wire.ts'

/** Local models may read a long prompt for minutes before the first byte. */
const LOCAL_IDLE_MS = 600_000
/** Fields that are the conversation's own. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['model', 'messages', 'input', 'stream'])

/** The form of the answer on either wire. */
const FORMAT_OPTIONS: ReadonlySet<string> = new Set(['response_format', 'text.format'])

/** What the calls of one provider have in common. */
export interface Memory {
  /** Made by the first call. */
  refusals?: Refusals
}

/** The call of one endpoint. A field that the server refuses is left out, and from then on if the server takes the rest. */
export function compatibleCall(endpoint: Endpoint, request: ModelRequest, memory: Memory): ModelCall {
  memory.refusals ??= new Refusals()
  const { refusals } = memory
  const { entry, extraBody, baseUrl, isLoopback, setting } = endpoint
  const wire = endpoint.wire === 'chat' ? chatWire : responsesWire
  const target = { server: `${baseUrl} ${request.model}`, conversation: request.conversation }
  const wanted = wire.options(request, entry)
  const refused = new Set<string>()
  // What the user wants to be sent is not left out, so that the error is seen.
  const own = Object.entries(extraBody).filter(([name]) => !OWN_FIELDS.has(name))
  const allowed = () => refusals.allowed(wanted, target, refused)
  const { url, headers } = requestTo(endpoint, pathOf(endpoint), request.model)
  const idle = entry.kind === 'local' || isLoopback ? { idleMs: LOCAL_IDLE_MS } : {}
  return {
    ...endpoint,
    who: nameOf(endpoint),
    keyless: entry.kind !== 'hosted',
    change: changeSentence(setting),
    request,
    pictures: PICTURES,
    idPrefix: 'call_',
    errors: errorsOf(endpoint),
    readsWhole: true,
    post: (asked) => ({ url, headers, body: wire.body(asked, entry, merged(allowed(), own)), ...idle }),
    easier(asked, complaint) {
      // What is used beside tools is the model's only word of the form: the client is told of the service's complaint.
      const isNeeded = formatsOf(entry, request.model) === 'beside-tools'
      const names = refusedBy(complaint, allowed()).filter((name) => !(isNeeded && FORMAT_OPTIONS.has(name)))
      for (const name of names) refused.add(name)
      return names.length > 0 ? asked : undefined
    },
    answer(newId) {
      refusals.remember(refused, target)
      return wire.answer(request, entry, newId)
    },
  }
}

function merged(options: Options, more: readonly [string, unknown][]): Options {
  return more.length === 0 ? options : new Map([...options, ...more])
}
