/** What a model answered, as data. It may be anything; what is not what was asked for is refused as a whole. */
import { tryParseJson } from 'svc/sdk'
import { MAX_FAN_OUT, type TaskPart } from 'svc/sdk/kanban'
import { z } from 'zod'

const MAX_ANSWER = 200_000
/** What is asked for needs four. */
const MAX_DEPTH = 8
export const MAX_TITLE = 80
const MAX_BODY = 16_000
const MAX_NAME = 64

const text = z.string().nullish()
const part = z.object({
  title: z.string(),
  body: text,
  assignee: text,
  parents: z.array(z.int()).max(MAX_FAN_OUT).nullish(),
})
const whole = z.looseObject({
  fanout: z.boolean(),
  rationale: text,
  title: text,
  body: text,
  assignee: text,
  tasks: z.array(z.unknown()).nullish(),
})

export interface Part extends Omit<TaskPart, 'assignee'> {
  readonly assignee: string | undefined
}

/** Undefined stands for what the model left out. */
export type Plan =
  | { readonly kind: 'parts'; readonly rationale: string; readonly parts: readonly Part[] }
  | {
      readonly kind: 'one'
      readonly rationale: string
      readonly title?: string
      readonly body: string
      readonly assignee?: string
    }
  | { readonly kind: 'bad'; readonly reason: string }

export function readPlan(answer: string): Plan {
  const value = readObject(answer)
  if (typeof value === 'string') return bad(value)
  const parsed = whole.safeParse(value)
  if (!parsed.success) return bad('the model answered with JSON of another form')
  const { fanout, tasks, title, body, assignee } = parsed.data
  const rationale = clean(parsed.data.rationale, 1000)
  if (fanout) return readParts(tasks ?? [], rationale)
  const text = cleanBody(body)
  if (text === '') return bad('the model answered that it is one task, and did not say which')
  return {
    kind: 'one',
    rationale,
    body: text,
    ...optional('title', shortenTitle(title)),
    ...optional('assignee', clean(assignee, MAX_NAME)),
  }
}

function readParts(tasks: readonly unknown[], rationale: string): Plan {
  if (tasks.length === 0) return bad('the model answered with an empty list of tasks')
  if (tasks.length > MAX_FAN_OUT)
    return bad(`the model answered with ${tasks.length} tasks; ${MAX_FAN_OUT} are the most`)
  const parts: Part[] = []
  for (const [at, each] of tasks.entries()) {
    const { success, data } = part.safeParse(each)
    const title = success ? shortenTitle(data.title) : ''
    if (!success || title === '') return bad(`task ${at} of the answer is not one, or has no title`)
    const assignee = clean(data.assignee, MAX_NAME) || undefined
    parts.push({ title, body: cleanBody(data.body), assignee, parents: [...new Set(data.parents ?? [])] })
  }
  return { kind: 'parts', rationale, parts }
}

/** Title and body; a text that is no JSON is the body. Undefined for an empty one. */
export function readSpecification(answer: string): { readonly title?: string; readonly body: string } | undefined {
  const value = readObject(answer)
  const parsed = typeof value === 'string' ? undefined : z.object({ title: text, body: z.string() }).safeParse(value)
  if (parsed && !parsed.success) return undefined
  const body = cleanBody(parsed ? parsed.data.body : stripFence(answer))
  return body === '' ? undefined : { body, ...optional('title', shortenTitle(parsed?.data.title)) }
}

/** The first object in the text, or the reason why the text has no object. */
function readObject(answer: string): object | string {
  if (answer.length > MAX_ANSWER) return 'the answer of the model is too long'
  const slice = findObject(answer)
  if (slice === undefined) return 'the model did not answer with JSON'
  if (slice === 'deep') return 'the answer of the model is nested too deeply'
  const value = tryParseJson(slice)?.value
  return typeof value === 'object' && value !== null ? value : 'the model answered with JSON that is damaged'
}

/** From the first brace to the one that closes it. Braces in texts do not count. */
function findObject(answer: string): string | undefined {
  const start = answer.indexOf('{')
  if (start < 0) return undefined
  let depth = 0
  for (const { 0: token, index } of answer.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token.startsWith('"')) continue
    depth += token === '{' || token === '[' ? 1 : -1
    if (depth > MAX_DEPTH) return 'deep'
    if (depth === 0) return answer.slice(start, start + index + 1)
  }
  return undefined
}

function stripFence(answer: string): string {
  return answer.replace(/^\s*```\w*\s*|\s*```\s*$/g, '')
}

/** One line, as long as a title may be. */
export function shortenTitle(title: string | null | undefined): string {
  const line = [...clean(title, 2000).replace(/\s+/g, ' ')]
  return line.length <= MAX_TITLE
    ? line.join('')
    : `${line
        .slice(0, MAX_TITLE - 1)
        .join('')
        .trimEnd()}…`
}

/** As long as a body may be. */
export function cleanBody(body: string | null | undefined): string {
  return clean(body, MAX_BODY)
}

/** Without control characters but line ends and tabs. */
function clean(value: string | null | undefined, most: number): string {
  return (value ?? '')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim()
    .slice(0, most)
    .toWellFormed()
    .trim()
}

function optional<K extends string>(key: K, value: string): Partial<Record<K, string>> {
  return value === '' ? {} : ({ [key]: value } as Record<K, string>)
}

function bad(reason: string): Plan {
  return { kind: 'bad', reason }
}
