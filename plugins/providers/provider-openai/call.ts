/** One call over either wire, as data for `streamModel`. */
import type { ModelCallSpec, ModelRequest } from 'svc/sdk/provider'
import { PICTURES } from './answer.ts'
import { type Endpoint, requestTo } from './endpoint.ts'
import { chooseFormats } from './formats.ts'
import { findRefusedOptions, type Options, Refusals } from './options.ts'
import { responsesWire } from './responses-wire.ts'
import { changeSentence, createErrorTexts, formatServerName, getApiPath } from './sentences.ts'
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
export function compatibleCall(endpoint: Endpoint, request: ModelRequest, memory: Memory): ModelCallSpec {
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
  const { url, headers } = requestTo(endpoint, getApiPath(endpoint), request.model)
  const idle = entry.kind === 'local' || isLoopback ? { idleMs: LOCAL_IDLE_MS } : {}
  return {
    ...endpoint,
    who: formatServerName(endpoint),
    keyless: entry.kind !== 'hosted',
    change: changeSentence(setting),
    request,
    pictures: PICTURES,
    idPrefix: 'call_',
    errors: createErrorTexts(endpoint),
    readsWhole: true,
    post: (asked) => ({ url, headers, body: wire.body(asked, entry, mergeOptions(allowed(), own)), ...idle }),
    easier(asked, complaint) {
      // What is used beside tools is the model's only word of the form: the client is told of the service's complaint.
      const isNeeded = chooseFormats(entry, request.model) === 'beside-tools'
      const names = findRefusedOptions(complaint, allowed()).filter((name) => !(isNeeded && FORMAT_OPTIONS.has(name)))
      for (const name of names) refused.add(name)
      return names.length > 0 ? asked : undefined
    },
    answer(newId) {
      refusals.remember(refused, target)
      return wire.answer(request, entry, newId)
    },
  }
}

function mergeOptions(options: Options, more: readonly [string, unknown][]): Options {
  return more.length === 0 ? options : new Map([...options, ...more])
}
