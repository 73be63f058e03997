/**
 * What chat completions refuse in a request (platform.openai.com/docs/api-reference/chat/create): no model, roles that there
 * are not, a result without its call and a call without its result.
 */

interface Call {
  readonly id?: unknown
  readonly type?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}
interface Message {
  readonly role?: unknown
  readonly content?: unknown
  readonly tool_calls?: readonly Call[]
  readonly tool_call_id?: unknown
}

export const chatRoles = ['developer', 'system', 'user', 'assistant', 'tool', 'function'] as const
export const chatParts = ['text', 'image_url', 'input_audio', 'file', 'refusal'] as const
const ROLES: readonly string[] = chatRoles
const PARTS: readonly string[] = chatParts

/** The service's words for what is wrong, undefined for a body that it takes. */
export function chatComplaint(raw: Buffer): string | undefined {
  const body = parsed(raw)
  if (body === undefined) return 'We could not parse the JSON body of your request.'
  const { model, messages } = body
  if (typeof model !== 'string' || model === '') return 'you must provide a model parameter'
  if (!Array.isArray(messages)) return "Missing required parameter: 'messages'."
  if (messages.length === 0) return "Invalid 'messages': empty array. Expected an array with minimum length 1."
  return wrongMessages(messages as readonly Message[]) ?? wrongTools(body['tools'])
}

function wrongMessages(messages: readonly Message[]): string | undefined {
  for (const [at, message] of messages.entries()) {
    const wrong = wrongMessage(message, `messages[${at}]`) ?? wrongOrder(messages, at)
    if (wrong) return wrong
  }
  return undefined
}

function wrongMessage({ role, content, tool_calls: calls }: Message, path: string): string | undefined {
  if (!ROLES.includes(String(role))) return `Invalid value: '${role}'. Supported values are: '${ROLES.join("', '")}'.`
  const mayBeEmpty = role === 'assistant' && calls !== undefined
  if (content === undefined || content === null) {
    if (!mayBeEmpty) return `Invalid value for 'content': expected a string, got null.`
  } else if (Array.isArray(content)) {
    const isGood = content.every(({ type }: { type?: unknown }) => PARTS.includes(String(type)))
    if (!isGood) return `Invalid value: '${path}.content' has a part of an unknown type.`
  } else if (typeof content !== 'string') return `Invalid type for '${path}.content': expected a string.`
  return calls === undefined ? undefined : wrongCalls(calls, role, path)
}

function wrongCalls(calls: unknown, role: unknown, path: string): string | undefined {
  if (role !== 'assistant') return `Unknown parameter: '${path}.tool_calls'.`
  if (!Array.isArray(calls) || calls.length === 0) return `Invalid '${path}.tool_calls': empty array.`
  for (const { id, type, function: called } of calls as readonly Call[]) {
    if (typeof id !== 'string' || id === '') return `Missing required parameter: '${path}.tool_calls[0].id'.`
    if (type !== 'function') return `Invalid value: '${type}'. Supported values are: 'function'.`
    if (typeof called?.name !== 'string' || typeof called.arguments !== 'string')
      return `Missing required parameter: '${path}.tool_calls[0].function'.`
    if (!/^[\w.-]{1,128}$/.test(called.name)) return `Invalid '${path}.tool_calls[0].function.name': wrong pattern.`
  }
  return undefined
}

/** Results stand right behind the message with their calls, one for each. */
function wrongOrder(messages: readonly Message[], at: number): string | undefined {
  const { role, tool_call_id: id, tool_calls: calls } = messages[at] ?? {}
  if (role === 'tool') {
    const asked = messages.slice(0, at).findLast((each) => each.role !== 'tool')?.tool_calls ?? []
    if (typeof id !== 'string') return `Missing parameter 'tool_call_id': messages with role 'tool' must have one.`
    if (asked.some((call) => call.id === id)) return undefined
    return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
  }
  if (!calls) return undefined
  const end = messages.findIndex((each, place) => place > at && each.role !== 'tool')
  const told = messages.slice(at + 1, end < 0 ? undefined : end).map((each) => each.tool_call_id)
  const open = calls.filter((call) => !told.includes(call.id)).map((call) => call.id)
  if (open.length === 0) return undefined
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`
}

function wrongTools(tools: unknown): string | undefined {
  if (tools === undefined) return undefined
  if (!Array.isArray(tools) || tools.length === 0)
    return "Invalid 'tools': empty array. Expected an array with minimum length 1."
  const names = (tools as readonly Call[]).map(({ type, function: tool }) =>
    type === 'function' ? tool?.name : undefined,
  )
  const wrong = names.findIndex((name) => !/^[\w-]{1,64}$/.test(typeof name === 'string' ? name : ''))
  return wrong < 0 ? undefined : `Invalid 'tools[${wrong}].function.name'.`
}

function parsed(raw: Buffer): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(raw.toString('utf8'))
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
