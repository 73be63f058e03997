/**
 * Twilio (twilio.com/docs/messaging/api/message-resource, twilio.com/docs/messaging/guides/webhook-request,
 * twilio.com/docs/usage/webhooks/webhooks-security).
 */
import { matchesSignature } from 'svc/sdk/kit/net'
import { deliveryRefused, type InboundFile } from 'svc/sdk/platform'
import { z } from 'zod'
import { basic, type InboundText, maskNumbers, parseForm, type SmsContext, type SmsVendor } from './vendor.ts'

const account = z.object({ status: z.string() })
const sent = z.object({ sid: z.string().min(1) })
const failure = z.object({ code: z.number().optional(), message: z.string().optional() })

const MAX_FILES = 10
/** A picture is behind a redirect to another host, which must not see the token. */
const REDIRECTS = 3

export const twilio: SmsVendor = {
  label: 'Twilio',
  baseUrl: 'https://api.twilio.com',
  path: '/webhooks/twilio',
  needs: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'],
  number: 'TWILIO_PHONE_NUMBER',
  maxTextLength: 1600,
  isAddressSigned: true,
  api: ({ secret }) => ({
    headers: () => basic(secret('TWILIO_ACCOUNT_SID'), secret('TWILIO_AUTH_TOKEN')),
    refusal({ status, json }) {
      const { code, message } = failure.safeParse(json).data ?? {}
      const reason = [message && maskNumbers(message), code !== undefined && `error ${code}`].filter(Boolean).join(', ')
      const said = reason ? { reason } : {}
      // Addresses begin with the account, so that an unknown one is not found.
      return status === 401 || status === 404 ? { kind: 'logged-out', ...said } : said
    },
  }),
  async check(api, context) {
    const { status } = await api.ask({ path: `${accountPath(context)}.json`, answer: account })
    if (status !== 'active')
      throw deliveryRefused('SMS_ACCOUNT', `The Twilio account is ${status}. Its console says why.`)
  },
  async send({ from, to, text, commit }, api, context) {
    const form = new URLSearchParams({ From: from, To: to, Body: text })
    return (await api.ask({ path: `${accountPath(context)}/Messages.json`, form, commit, answer: sent })).sid
  },
  isGenuine: ({ headers, body }, { secret }, url) =>
    listSignedAddresses(url).some((address) =>
      matchesSignature({
        ...{ key: secret('TWILIO_AUTH_TOKEN'), parts: [address, listFields(parseForm(body))] },
        ...{ given: headers['x-twilio-signature'] ?? '', encoding: 'base64', algorithm: 'sha1' },
      }),
    ),
  read: ({ body }) => readMessage(parseForm(body)),
  taken: {
    headers: { 'content-type': 'text/xml; charset=utf-8' },
    body: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>',
  },
  fetch: ({ ref }, api, { address, maxBytes, signal }) =>
    api.fetch(ref, { origins: [new URL(address).origin], redirects: REDIRECTS, maxBytes, signal }),
}

function accountPath({ secret }: SmsContext): string {
  return `/2010-04-01/Accounts/${encodeURIComponent(secret('TWILIO_ACCOUNT_SID'))}`
}

function readMessage(form: URLSearchParams): InboundText | 'ignored' | undefined {
  const [from, to, messageId] = ['From', 'To', 'MessageSid'].map((name) => form.get(name)?.trim())
  if (!from || !to || !messageId) return undefined
  const files = listFiles(form)
  // Twilio itself answers STOP, START and HELP, and says so.
  if (form.has('OptOutType')) return 'ignored'
  return { from, to, messageId, text: form.get('Body') ?? '', ...(files.length > 0 && { files }) }
}

function listFiles(form: URLSearchParams): InboundFile[] {
  const count = Math.min(Number(form.get('NumMedia')) || 0, MAX_FILES)
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const mediaType = form.get(`MediaContentType${at}`) ?? ''
    const ending = /^\w+\/([\w-]+)/.exec(mediaType)?.[1]
    const name = `media-${at + 1}${ending ? `.${ending}` : ''}`
    return { ref: form.get(`MediaUrl${at}`) ?? '', name, ...(mediaType && { mediaType }) }
  }).filter(({ ref }) => ref !== '')
}

/** A value that is repeated counts once; several of one name are sorted. */
function listFields(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort()
  return names.flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value)).join('')
}

/** Twilio signs the address with or without its port, and never the fragment. */
function listSignedAddresses(url: string): readonly string[] {
  const [address = ''] = url.split('#')
  const [, scheme = '', host = '', port, rest = ''] = /^(https?):\/\/([^/?:]+)(:\d+)?(.*)$/i.exec(address) ?? []
  if (!scheme) return [address]
  const standard = scheme.toLowerCase() === 'https' ? ':443' : ':80'
  const other = port === undefined ? standard : port === standard ? '' : undefined
  return other === undefined ? [address] : [address, `${scheme}://${host}${other}${rest}`]
}
