/** Answers of the Bot API: https://core.telegram.org/bots/api#making-requests. */
import type { SendFault } from './fake.ts'
import type { ServiceAnswer } from './service.ts'

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
