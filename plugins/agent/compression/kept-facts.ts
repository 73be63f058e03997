/**
 * What must not be lost by a compression, found and checked by a program and not by a model: what the user wants, what
 * the agent asked, what is left of the plan, and which files and ids were worked with. Pure.
 */
import type { Message } from 'svc/sdk'
import { isRequest, newestRequest } from './cut.ts'
import { isBridge, summaryBody } from './summary-message.ts'
import { callsById, collectStrings, oneLine } from './tool-calls.ts'

const kinds = ['said', 'question', 'todo', 'touched'] as const

/** Something to keep word for word. */
export interface Fact {
  readonly kind: (typeof kinds)[number]
  readonly text: string
}

const TITLE = 'Kept word for word by svc:'
const MAX_REQUEST = 4000
const MAX_QUESTION = 400
const MAX_QUESTIONS = 5
const MAX_TODOS = 64
const MAX_TODO_LENGTH = 1000
const MAX_TOUCHED = 20
const MAX_NAME = 300
/** `path`, `file_path`, `workdir`, `session_id`, ... */
const telling = /(^|_)(path|paths|file|files|dir|folder|workdir|cwd|id|ids)$/i
const patched = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm
/** Ids as svc and most services make them: `proc_3fa9c1`. */
const named = /\b[a-z]{2,12}_[0-9a-f]{6,32}\b/g
const openTodo = /^\[[ >]\] \S.*$/gm

/** Names of the tools whose newest result replaces the earlier ones: those with `latest` in their scope. */
export type LatestTools = ReadonlySet<string>

/** The facts of a conversation. Facts of an earlier summary hold unless newer ones contradict them. */
export function collectFacts(messages: readonly Message[], latest: LatestTools): readonly Fact[] {
  const earlier = messages.flatMap((message) => parseFacts(summaryBody(message) ?? ''))
  const own = (kind: Fact['kind'], texts: readonly string[] | undefined) => {
    return texts?.map((text): Fact => ({ kind, text })) ?? earlier.filter((fact) => fact.kind === kind)
  }
  const touched = [...own('touched', undefined).map(({ text }) => text), ...listTouchedFiles(messages)]
  return [
    ...own('said', findRequests(messages)),
    ...own('question', findQuestions(messages)),
    ...own('todo', findTodos(messages, latest)),
    ...own('touched', [...new Set(touched.reverse())].slice(0, MAX_TOUCHED).reverse()),
  ]
}

/** Those that neither the summary nor the messages around it have. */
export function missingFacts(facts: readonly Fact[], kept: readonly Message[], summary: string): readonly Fact[] {
  const inputs = kept.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  const texts = [summary, ...kept.map(({ text }) => text), ...inputs.flatMap(({ input }) => collectStrings(input))]
  return facts.filter(({ text }) => !texts.some((each) => each.includes(text)))
}

/** The facts as the end of a summary; empty without any. Every line of a text but the first is indented. */
export function renderFacts(facts: readonly Fact[]): string {
  if (facts.length === 0) return ''
  return [TITLE, ...facts.map(({ kind, text }) => `- ${kind}: ${text.replaceAll('\n', '\n  ')}`)].join('\n')
}

/** The facts that `renderFacts` has written at the end of a summary, and the summary without them. */
export function splitFacts(body: string): { readonly text: string; readonly facts: readonly Fact[] } {
  const at = body.lastIndexOf(TITLE)
  if (at < 0) return { text: body, facts: [] }
  const entries = body.slice(at + TITLE.length).split(/\n(?=- )/)
  const facts = entries.flatMap((entry): Fact[] => {
    const [, name = '', text = ''] = /^- (\w+): ([\s\S]+)$/.exec(entry.trim()) ?? []
    const kind = kinds.find((each) => each === name)
    return kind ? [{ kind, text: text.replaceAll('\n  ', '\n') }] : []
  })
  return { text: body.slice(0, at).trimEnd(), facts }
}

function parseFacts(body: string): readonly Fact[] {
  return splitFacts(body).facts
}

/** The newest words of the user may only be an aside to what was said before them. */
function findRequests(messages: readonly Message[]): string[] | undefined {
  const texts = messages.filter(isRequest).map(({ text }) => text.trim().slice(0, MAX_REQUEST).trimEnd())
  const newest = texts.filter((text) => text !== '').slice(-2)
  return newest.length > 0 ? newest : undefined
}

/** What the agent asked last: the user's newest words may answer it. */
function findQuestions(messages: readonly Message[]): string[] | undefined {
  const newest = newestRequest(messages)
  const isTalk = (message: Message) => message.role === 'assistant' && message.text !== '' && !isBridge(message)
  const before = messages.slice(0, Math.max(newest, 0)).findLast(isTalk)
  const said = [...(before ? [before] : []), ...messages.slice(newest + 1).filter(isTalk)]
  if (said.length === 0) return undefined
  const sentences = said.flatMap(({ text }) => text.split(/(?<=[.!?。！？\n])/))
  return sentences
    .map((text) => text.trim())
    .filter((text) => /[?？]$/.test(text) && text.length > 3 && text.length <= MAX_QUESTION)
    .slice(-MAX_QUESTIONS)
}

/** From the newest result of a tool that keeps the plan. */
function findTodos(messages: readonly Message[], latest: LatestTools): string[] | undefined {
  const calls = callsById(messages)
  const plan = messages.findLast(
    (message) => message.role === 'tool' && !message.failed && latest.has(calls.get(message.callId)?.name ?? ''),
  )
  const items = plan?.text.match(openTodo)?.map((line) => line.slice(0, MAX_TODO_LENGTH).trimEnd())
  return plan ? (items ?? []).slice(0, MAX_TODOS) : undefined
}

/** The newest last. */
function listTouchedFiles(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    if (message.role === 'tool') return message.text.slice(0, 2000).match(named) ?? []
    if (message.role !== 'assistant') return []
    return (message.toolCalls ?? []).flatMap(({ input }) => listNames(input).filter(isName))
  })
}

function listNames(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return []
  return Object.entries(input).flatMap(([key, value]) => {
    if (telling.test(key)) return collectStrings(value)
    if (typeof value !== 'string') return listNames(value)
    return [...value.matchAll(patched)].map(([, path = '']) => path.trim())
  })
}

function isName(text: string): boolean {
  return text.length > 1 && text.length <= MAX_NAME && oneLine(text, MAX_NAME) === text
}
