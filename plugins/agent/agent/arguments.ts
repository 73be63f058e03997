/** The arguments of a call as the model wrote them: whole, with a slip in the syntax, cut off, or no JSON object at all. */

/** `object` is missing where the text cannot be read as a JSON object. */
export interface WrittenArguments {
  readonly object?: Readonly<Record<string, unknown>>
  /** What the text ends inside: it is the beginning of what the model meant, however well it can be completed. */
  readonly cut?: string
  /** It was not JSON; `object` is what it was taken for. */
  readonly repaired?: true
}

/** Parses the arguments. An empty text means no arguments: servers send that. */
export async function readArguments(text: string): Promise<WrittenArguments> {
  if (text.trim() === '') return { object: {} }
  const whole = tryParse(text, JSON.parse)
  if (whole !== undefined) return isObject(whole) ? { object: whole } : {}
  const cut = endsInside(text)
  const { jsonrepair } = await import('jsonrepair')
  const value = tryParse(text, (broken) => JSON.parse(jsonrepair(broken)))
  // Without the bracket that opens it, nothing tells where an object ends.
  const object = isObject(value) && /^\s*(```\w*\s*)?\{/.test(text) ? value : undefined
  return { ...(object && { object, repaired: true as const }), ...(cut !== undefined && { cut }) }
}

/** Whole strings, a string that does not end, and the brackets between them. What an apostrophe opens may be one too. */
const SIGNS = /"(?:\\.|[^"\\])*("?)|'(?:\\.|[^'\\])*('?)|[{}[\]]/gs
const OPENERS: Readonly<Record<string, string>> = { '{': 'an object', '[': 'a list' }

/** What is still open where a text of JSON, or of something like it, ends; undefined when all is closed. */
export function endsInside(text: string): string | undefined {
  const open: string[] = []
  for (const [sign, double, single] of text.matchAll(SIGNS)) {
    if (double === '' || single === '') return 'a string'
    const opened = OPENERS[sign]
    if (opened !== undefined) open.push(opened)
    else if (sign === '}' || sign === ']') open.pop()
  }
  return open.at(-1)
}

function tryParse(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
