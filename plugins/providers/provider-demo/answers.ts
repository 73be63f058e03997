/** What the demo says, and the tool calls it makes. */
import type { ToolDefinition } from 'svc/sdk/provider'
import { calculate, showNumber } from './arithmetic.ts'
import type { Intent } from './intent.ts'

const MAX_LINES = 40
const MAX_CHARACTERS = 4000

/** By these words a conversation that has had the introduction is known. */
const INTRODUCTION_MARK = 'scripted demo'
const INTRODUCTION = `(I am a ${INTRODUCTION_MARK}, not an AI model. Ask "what can you do" for more, and for how to connect a real model.)`

const HELP = [
  `I am a ${INTRODUCTION_MARK}, not an AI model: I understand a handful of plain requests and carry them out with the real tools. Try:`,
  '- list the files in this folder',
  '- read README.md',
  '- find "TODO" in src',
  '- run `git status`',
  "- write 'hello' to notes.txt, then read notes.txt",
  '- what is 12 * (3 + 4)',
  '',
  'To connect a real model: `svc config set model.provider custom`, `svc config set model.base_url http://host:port/v1`, `svc config set model.default <model>` (and `svc config set CUSTOM_API_KEY <key>` if it wants one).',
].join('\n')

/** A tool call without its id. */
export interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** An intent and what came of it: the text of the tool's result, when there was one. */
export interface Done {
  readonly intent: Intent
  readonly result?: string | undefined
}

/** The tool call that an intent needs, or undefined when it can be answered at once. */
export function callFor(intent: Intent): Call | undefined {
  switch (intent.kind) {
    case 'list': {
      const { kind: _, ...input } = intent
      return { name: 'list_files', input }
    }
    case 'read': {
      const { kind: _, ...input } = intent
      return { name: 'read_file', input }
    }
    case 'search':
      return { name: 'search_files', input: { pattern: intent.pattern, path: intent.path } }
    case 'run':
      return { name: 'terminal', input: { command: intent.command } }
    case 'write':
      return { name: 'write_file', input: { path: intent.path, content: intent.content } }
    default:
      return undefined
  }
}

/** Whether the tool that an intent needs is offered. */
export function isOffered(intent: Intent, tools: readonly ToolDefinition[]): boolean {
  const call = callFor(intent)
  return call === undefined || tools.some(({ name }) => name === call.name)
}

/** Whether a conversation was told already what it talks to. */
export function isIntroduction(text: string): boolean {
  return text.includes(INTRODUCTION_MARK)
}

/** The whole answer. `now` is milliseconds since 1970; `known` when the conversation has had the introduction. */
export function answer(done: readonly Done[], options: { readonly now: number; readonly known: boolean }): string {
  const parts = done.map((part) => answerOne(part, options.now))
  const text = [...new Set(parts)].join('\n\n')
  return options.known || isIntroduction(text) ? text : `${text}\n\n${INTRODUCTION}`
}

function answerOne({ intent, result }: Done, now: number): string {
  const call = callFor(intent)
  if (call !== undefined && result === undefined) {
    return `For that I would use the tool \`${call.name}\`, but it is switched off here.`
  }
  const text = (result ?? '').trim()
  switch (intent.kind) {
    case 'list':
      return formatToolResult(text, /^(?:more than )?\d+ entr/, (entries) =>
        bullets(entries.replace(/ in \.(?=:|$)/m, ' in this folder')),
      )
    case 'search':
      return formatToolResult(text, /^(?:the first )?\d+ match/, (matches) => bullets(matches))
    case 'read':
      return formatToolResult(
        text,
        /^(?:\d+\t|\(empty file\)|\(the file has )/,
        (lines) => `\`${intent.path}\`:\n\n${fenceText(withoutNumbers(lines))}`,
      )
    case 'write':
      return formatToolResult(text, /^(?:Created|Replaced|Unchanged)/, (said) => said)
    case 'run':
      return formatToolResult(
        text,
        /^(?!Not allowed:|Not run:)/,
        (output) => `\`${oneLine(intent.command)}\` gave:\n\n${fenceText(output)}`,
      )
    case 'calculate':
      return answerCalculation(intent.expression)
    case 'date':
      return `It is ${new Date(now).toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'short' })}.`
    case 'help':
      return HELP
    case 'identify':
      return `I am the ${INTRODUCTION_MARK} that comes with svc, not an AI model: I follow simple requests by a script. Ask "what can you do" for examples and for how to connect a real model.`
    case 'greet':
      return 'Hello! Try "list the files in this folder", "read README.md", or "what can you do".'
    case 'thank':
      return 'You are welcome.'
    case 'unknown':
      return notUnderstood(intent.text)
  }
}

function notUnderstood(text: string): string {
  return `I did not understand "${oneLine(text)}". I can list, read, search and write files, run commands and calculate: "list the files here", "find TODO in src", "run \`date\`", "what is 15% of 80".`
}

function answerCalculation(expression: string): string {
  const result = calculate(expression)
  if (result === undefined) return notUnderstood(expression)
  return result.problem === undefined
    ? `${oneLine(expression)} = ${showNumber(result.value)}`
    : `I cannot work out ${oneLine(expression)}: ${result.problem}.`
}

/** A result that has the form of a success, or what went wrong. */
function formatToolResult(text: string, success: RegExp, show: (text: string) => string): string {
  return success.test(text) ? show(text) : `That did not work: ${shorten(text) || 'there was no answer.'}`
}

/** The first line as it is, each further one as an item. */
function bullets(text: string): string {
  const [header = '', ...items] = shorten(text).split('\n')
  return [header, ...items.map((item) => (/^\[.*\]$/.test(item) ? item : `- ${item}`))].join('\n')
}

function withoutNumbers(text: string): string {
  return text.replace(/^\d+\t/gm, '')
}

/** A code block whose fence is longer than any in the text. */
function fenceText(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${shorten(text)}\n${fence}`
}

function shorten(text: string): string {
  const characters = text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '') : text
  const lines = characters.split('\n')
  const kept = lines.slice(0, MAX_LINES).join('\n')
  const left = text.split('\n').length - Math.min(lines.length, MAX_LINES)
  if (kept.length === text.length) return text
  return `${kept}\n[... ${left > 0 ? `${left} more lines` : 'more'} not shown]`
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= 80 ? line : `${line.slice(0, 77).replace(/[\uD800-\uDBFF]$/, '')}...`
}
