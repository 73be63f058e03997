/** Answers of the Bot API: https://core.telegram.org/bots/api#making-requests. */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import type { SendFault } from 'svc/sdk/platform'

export const done: ServiceAnswer = { body: { ok: true, result: true } }

/** As the service writes errors. */
export function refusal(code: number, description: string, parameters?: object): Exclude<ServiceAnswer, string> {
  return { status: code, body: { ok: false, error_code: code, description, ...(parameters && { parameters }) } }
}

/** Answers to messages that are not taken. */
export const refusals: Readonly<Partial<Record<SendFault, ServiceAnswer>>> = {
  busy: refusal(429, 'Too Many Requests: retry after 1', { retry_after: 1 }),
  unavailable: { status: 503, body: '<html><body>Service Unavailable</body></html>' },
  lost: 'cut',
  forbidden: refusal(403, 'Forbidden: bot was blocked by the user'),
}

type Data = Readonly<Record<string, unknown>>

/** The key of a keyboard under a message. */
export interface Key {
  readonly text: string
  readonly callback_data: string
}

/** Undefined when a button could not come back. */
export function parseKeyboard(params: Data): readonly Key[] | undefined {
  const markup = params['reply_markup'] as { readonly inline_keyboard: (readonly Key[])[] } | undefined
  const keys = markup?.inline_keyboard.flat() ?? []
  const isGood = keys.every(({ text, callback_data: data }) => text && data && Buffer.byteLength(data) <= 64)
  return isGood && keys.length <= 100 ? keys : undefined
}

/** The mark of a command at the beginning. */
export function commandIn(text: string): Data[] {
  const [command] = /^\/\w+(@\w+)?/.exec(text) ?? []
  return command ? [{ type: 'bot_command', offset: 0, length: command.length }] : []
}
