/** Conversations as Markdown, to be read and pasted. */
import type { Message } from 'svc/sdk'
import type { Format } from './export.ts'
import { counted, moment, plain, plainBlock } from './text.ts'

const names = { user: 'User', assistant: 'Assistant', tool: 'Tool result', system: 'System' } as const

export const markdown: Format = {
  head: '',
  session({ session, messages }) {
    const facts = [session.id, session.surface, session.cwd, counted(messages.length, 'message')].map(plain)
    const parts = messages.map(({ message, at }) => `## ${names[message.role]}, ${moment(at)}\n\n${body(message)}`)
    return `${[`# ${plain(session.title ?? session.id)}`, facts.join(' · '), ...parts].join('\n\n')}\n\n`
  },
  foot: '',
}

function body(message: Message): string {
  const text = message.role === 'tool' ? fenced(message.text) : plainBlock(message.text)
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const images = 'images' in message ? (message.images ?? []) : []
  return [
    ...(message.text ? [text] : []),
    ...calls.map(({ name, input }) => `Calls \`${plain(name).replaceAll('`', "'")}\`:\n\n${fenced(inputText(input))}`),
    ...images.map(({ mediaType }) => `_Picture (${plain(mediaType)})_`),
  ].join('\n\n')
}

function inputText(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input, undefined, 2) ?? '')
}

/** A fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${plainBlock(text)}\n${fence}`
}
