/** A vendor of text messages as data: its account, its signature, and what it says of a message. */
import type { PlatformApi, PlatformContext, WebhookPlatform, WebhookSettings } from 'svc/sdk/kit/platform'
import type { InboundFile } from 'svc/sdk/platform'
import type { HttpRequest, HttpResponse } from 'svc/sdk/web'

/** The own keys of the block. */
export interface SmsSettings extends WebhookSettings {
  readonly vendor: VendorName
  readonly webhook_url: string
}

export type VendorName = 'twilio' | 'vonage' | 'plivo' | 'telnyx'
export type SmsContext = PlatformContext<SmsSettings>

/** A text on its way out; numbers are as +15550100000. */
export interface OutboundText {
  readonly from: string
  readonly to: string
  readonly text: string
  readonly commit?: (() => void) | undefined
}

/** A text that came in. */
export interface InboundText {
  readonly from: string
  readonly to: string
  readonly messageId: string
  readonly text: string
  readonly files?: readonly InboundFile[]
}

export interface SmsVendor {
  readonly label: string
  /** Default address of the API. */
  readonly baseUrl: string
  /** Where it calls. */
  readonly path: string
  /** Its credentials; the first names the account. */
  readonly needs: readonly string[]
  /** The variable with the number that messages are sent from. */
  readonly number: string
  /** Characters of a message. */
  readonly maxTextLength: number
  /** Its signature is made over the public address, which svc must know then. */
  readonly isAddressSigned?: true
  readonly api: WebhookPlatform<unknown, SmsSettings>['api']
  /** Throws unless the account is there and in use. */
  check(api: PlatformApi, context: SmsContext): Promise<unknown>
  /** Resolves with the id that it gave the message. */
  send(message: OutboundText, api: PlatformApi, context: SmsContext): Promise<string>
  /** `url` is the public address. */
  isGenuine(request: HttpRequest, context: SmsContext, url: string): boolean
  /** `ignored` for what needs no answer, such as a receipt; undefined for an invalid call. */
  read(request: HttpRequest): InboundText | 'ignored' | undefined
  readonly taken?: HttpResponse
  readonly fetch?: WebhookPlatform<unknown, SmsSettings>['fetch']
}

export function basic(user: string, password: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

/** Errors name numbers of people, which must not stand in logs. */
export function maskNumbers(text: string): string {
  return text.replace(/\+?\d{7,15}/g, (number) => `…${number.slice(-4)}`)
}

/** Some vendors write numbers without the plus. */
export function withPlus(number: string): string {
  return /^[1-9]\d{2,14}$/.test(number) ? `+${number}` : number
}

export function withoutPlus(number: string): string {
  return number.replace(/^\+/, '')
}

export function parseForm(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(Buffer.from(body).toString('utf8'))
}
