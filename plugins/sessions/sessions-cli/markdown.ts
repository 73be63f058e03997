/** Conversations as Markdown, to be read and pasted. */
import type { Message } from 'svc/sdk'
import { formatCount, formatMoment, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { Format } from './export.ts'

const names = { user: 'User', assistant: 'Assistant', tool: 'Tool result', system: 'System' } as const

export const markdown: Format = {
  head: '',
  *session({ session, length, messages }) {
    const facts = [session.id, session.surface, session.cwd, formatCount(length, 'message')].map(safeLine)
    yield `# ${safeLine(session.title ?? session.id)}\n\n${facts.join(' · ')}\n\n`
    for (const { message, at } of messages())
      yield `## ${names[message.role]}, ${formatMoment(at)}\n\n${body(message)}\n\n`
  },
  foot: '',
}

function body(message: Message): string {
  const text = message.role === 'tool' ? fenceText(message.text) : safeBlock(message.text)
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const images = 'images' in message ? (message.images ?? []) : []
  return [
    ...(message.text ? [text] : []),
    ...calls.map(
      ({ name, input }) => `Calls \`${safeLine(name).replaceAll('`', "'")}\`:\n\n${fenceText(inputText(input))}`,
    ),
    ...images.map(({ mediaType }) => `_Picture (${safeLine(mediaType)})_`),
  ].join('\n\n')
}

function inputText(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input, undefined, 2) ?? '')
}

/** A fence that is longer than any in the text. */
function fenceText(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${safeBlock(text)}\n${fence}`
}
