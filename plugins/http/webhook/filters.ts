/** Conditions on events: `all`, `any`, `not`, lists of them, and leaves that look at one field. */
import { tryParseJson } from 'svc/sdk'
import { getAtPath } from 'svc/sdk/host'

/** Input of conditions. */
export interface Event {
  readonly event: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: unknown
}

export type Condition = (event: Event) => boolean

/** Lines or a JSON list of a file in the home. */
export type ReadList = (file: string) => readonly unknown[]

/** Texts that patterns are tried on are cut: a pattern may take long. */
const MAX_MATCHED = 4000

/** Throws an `Error` that says what cannot be understood. No condition is true. */
export function condition(given: unknown, read: ReadList): Condition {
  if (given === undefined || given === null) return () => true
  if (Array.isArray(given)) return every(given, read)
  if (typeof given !== 'object') throw new Error(`a filter is a list or has names, not ${JSON.stringify(given)}`)
  const { all, any, not, field, ...operators } = given as Record<string, unknown>
  if (typeof field === 'string') return leaf(field, operators, read)
  const parts: Condition[] = []
  if (all !== undefined) parts.push(every(list('all', all), read))
  if (any !== undefined) {
    const some = list('any', any).map((each) => condition(each, read))
    parts.push((event) => some.some((each) => each(event)))
  }
  if (not !== undefined) {
    const inner = condition(not, read)
    parts.push((event) => !inner(event))
  }
  const [strange] = Object.keys(operators)
  if (strange !== undefined || parts.length === 0)
    throw new Error(`a filter has all, any, not or field${strange === undefined ? '' : `, not ${strange}`}`)
  return (event) => parts.every((each) => each(event))
}

function every(given: readonly unknown[], read: ReadList): Condition {
  const parts = given.map((each) => condition(each, read))
  return (event) => parts.every((each) => each(event))
}

function list(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new Error(`${name} of a filter is a list`)
}

type Test = (value: unknown) => boolean

function leaf(field: string, operators: Readonly<Record<string, unknown>>, read: ReadList): Condition {
  const tests = Object.entries(operators).map(([name, wanted]) => {
    const make = makers[name]
    if (!make) throw new Error(`a filter cannot ${name}; it can ${Object.keys(makers).join(', ')}`)
    return make(wanted, read)
  })
  if (tests.length === 0) throw new Error(`the filter of ${field} says nothing of it`)
  return (event) => {
    const value = readField(field, event)
    return tests.every((test) => test(value))
  }
}

const makers: Readonly<Record<string, (wanted: unknown, read: ReadList) => Test>> = {
  exists: (wanted) => (value) => (value !== undefined) === (wanted !== false),
  missing: (wanted) => (value) => (value === undefined) === (wanted !== false),
  equals: (wanted) => (value) => isSame(value, wanted),
  not_equals: (wanted) => (value) => !isSame(value, wanted),
  contains: (wanted) => (value) =>
    Array.isArray(value)
      ? value.some((each) => isSame(each, wanted))
      : typeof value === 'string' && value.includes(String(wanted)),
  in: (wanted) => {
    const wantedList = list('in', wanted)
    return (value) => wantedList.some((each) => isSame(value, each))
  },
  in_file: (wanted, read) => (value) => read(String(wanted)).some((each) => isSame(value, each)),
  regex: (wanted) => {
    const pattern = new RegExp(String(wanted), 'u')
    return (value) => value !== undefined && pattern.test(formatValue(value).slice(0, MAX_MATCHED))
  },
}

/** A text equals a number or boolean with the same spelling: files and YAML do not always distinguish them. */
function isSame(one: unknown, two: unknown): boolean {
  if (one === undefined || two === undefined) return false
  return formatValue(one) === formatValue(two)
}

function formatValue(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** `payload.a.b`, `event`, `headers.name`; anything else is a field of the payload. */
function readField(field: string, { event, headers, payload }: Event): unknown {
  const [root = '', ...path] = field.split('.')
  if (root === 'event' || root === 'event_type') return event
  if (root === 'headers') return headers[path.join('.').toLowerCase()]
  return getAtPath(payload, root === 'payload' ? path : [root, ...path])
}

/** The items of a file: a list of JSON, or its lines. */
export function parseItems(text: string): readonly unknown[] {
  const value = tryParseJson(text)?.value
  if (Array.isArray(value)) return value
  return text.split(/\r?\n/).flatMap((line) => line.trim() || [])
}
