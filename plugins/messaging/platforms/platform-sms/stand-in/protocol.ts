/** What of a vendor of text messages differs from the others, as its stand-in speaks it. */
import type { ServiceAnswer, ServiceRequest, WebhookCall } from 'svc/sdk/kit/stand-in'

/** The number of the account. */
export const NUMBER = '+15550100000'

/** A text as a person wrote it. */
export interface PersonText {
  readonly id: string
  readonly from: string
  readonly text: string
  /** With their addresses. */
  readonly files: readonly { readonly url: string; readonly mediaType: string }[]
}

/** A text that svc wants to send. */
export interface SentText {
  readonly from: string
  readonly to: string
  readonly text: string
}

export interface VendorProtocol {
  readonly name: string
  readonly document: string
  /** Where it calls. */
  readonly path: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
  /** Of the messages of people; the vendor counts them. */
  createId(count: number): string
  isAuthorized(request: ServiceRequest): boolean
  /** The answer to a question whose account it is. */
  answerCheck(request: ServiceRequest): ServiceAnswer | undefined
  /** The message of a request, or what is wrong with it; undefined if it is no such request. */
  read(request: ServiceRequest): SentText | { readonly refusal: ServiceAnswer } | undefined
  accept(id: string, message: SentText): ServiceAnswer
  refuse(why: 'unauthorized' | 'busy' | 'unavailable' | 'forbidden' | 'unknown'): ServiceAnswer
  /** Made for each attempt, with a signature of its own. `at`: when it is signed (default: now). */
  call(message: PersonText, at?: number): WebhookCall
}

/** What every vendor refuses, in words of its own. */
export function findProblem({ from, to, text }: SentText, maxLength: number): string | undefined {
  if (from !== NUMBER) return `'From' ${from} is not a number of this account`
  if (!/^\+[1-9]\d{5,14}$/.test(to)) return `Invalid 'To' Phone Number: ${to}`
  if (to === from) return `'To' and 'From' number cannot be the same: ${to}`
  if (text.trim() === '') return 'Message body is required'
  return text.length > maxLength ? `The message body exceeds the ${maxLength} character limit` : undefined
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
