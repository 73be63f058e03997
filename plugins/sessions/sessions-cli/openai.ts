/**
 * Conversations for programs that read chat completions: a line of JSON for each, `{"messages":[...]}`, as the files for
 * fine-tuning have them (https://platform.openai.com/docs/guides/supervised-fine-tuning).
 */
import type { Message } from 'svc/sdk'
import { safeJson } from 'svc/sdk/kit/terminal'
import { toChatMessages } from 'svc/sdk/kit/wire'
import type { SessionReader } from 'svc/sdk/sessions'
import type { Format } from './export.ts'

export const openai: Format = {
  head: '',
  *session(reader) {
    let separator = '{"messages":['
    for (const message of toChatMessages(said(reader))) {
      yield separator + safeJson(message)
      separator = ','
    }
    yield separator === ',' ? ']}\n' : `${separator}]}\n`
  },
  foot: '',
}

/** The system prompt and all that was recorded, also what was compressed since. */
function* said({ systemPrompt, messages }: SessionReader): Generator<Message, void> {
  if (systemPrompt !== undefined) yield { role: 'system', text: systemPrompt }
  for (const { message } of messages()) yield message
}
