/** Text messages by phone as a webhook platform, whichever vendor carries them. */
import type { WebhookPlatform } from 'svc/sdk/kit/platform'
import { deliveryRefused } from 'svc/sdk/platform'
import { isLoopbackHost } from 'svc/sdk/provider'
import { createPlivo } from './plivo.ts'
import { telnyx } from './telnyx.ts'
import { twilio } from './twilio.ts'
import { type SmsContext, type SmsSettings, type SmsVendor, type VendorName, withPlus } from './vendor.ts'
import { vonage } from './vonage.ts'

/** By the value of `vendor`. */
export const smsVendors: Readonly<Record<VendorName, () => SmsVendor>> = {
  twilio: () => twilio,
  vonage: () => vonage,
  plivo: createPlivo,
  telnyx: () => telnyx,
}

interface Me {
  readonly number: string
}

export const SMS_PORT = 8080
/** A form of a message is far smaller. */
const MAX_BYTES = 65_536

export function describeSms({ vendor: name }: Pick<SmsSettings, 'vendor'>): WebhookPlatform<Me, SmsSettings> {
  const vendor = smsVendors[name]()
  const { label, baseUrl, path, needs, api, taken, fetch } = vendor
  return {
    name: 'sms',
    label: `SMS (${label})`,
    hint: 'Answers are sent as SMS, and each segment costs money: write one short paragraph without decoration.',
    access: { users: 'SMS_ALLOWED_USERS', everyone: 'SMS_ALLOW_ALL_USERS', home: 'SMS_HOME_CHANNEL' },
    limits: {
      maxTextLength: vendor.maxTextLength,
      idempotency: 'none',
      unattended: true,
      // One segment a second from a long code (twilio.com/docs/glossary/what-message-throughput); more waits at the vendor.
      rate: { all: { count: 1, perMs: 1000 } },
    },
    ...{ baseUrl, port: SMS_PORT, path, needs, accountFrom: [...needs.slice(0, 1), vendor.number] },
    ...{ maxBytes: MAX_BYTES, api, ...(taken && { taken }), ...(fetch && { fetch }) },
    async identify(asked, context) {
      const number = context.secret(vendor.number).replace(/[\s().-]/g, '')
      if (number === '')
        throw deliveryRefused('SMS_MISSING_PHONE_NUMBER', `Set ${vendor.number} to the number to send from.`)
      await vendor.check(asked, context)
      return { number }
    },
    // RFC 5724; a sender that is a name cannot be written to.
    contact({ me: { number } }) {
      const given = withPlus(number)
      return /^\+[1-9]\d{2,14}$/.test(given) ? `sms:${given}` : undefined
    },
    door: (context) => openDoor(vendor, context),
    isGenuine: (request, context) => vendor.isGenuine(request, context, publicAddress(context)),
    read(request, { number }) {
      const message = vendor.read(request)
      if (message === 'ignored') return []
      if (!message) return undefined
      const { from, to, messageId, text, files = [] } = message
      if (from === number || to !== number || (text.trim() === '' && files.length === 0)) return []
      return [{ chatId: from, userId: from, messageId, text, ...(files.length > 0 && { files }) }]
    },
    async send({ chatId, text, commit }, asked, { me, ...context }) {
      if (!/^\+?[1-9]\d{2,14}$/.test(chatId))
        throw deliveryRefused('SMS_NUMBER', `"${chatId}" is no number such as +15550100000.`)
      return { messageId: await vendor.send({ from: me.number, to: chatId, text, commit }, asked, context) }
    },
  }
}

/** Who may post: the vendor, by its signature. Without one only programs of this machine, and only when that is asked for. */
function openDoor({ label, isAddressSigned }: SmsVendor, context: SmsContext) {
  const { secret, settings } = context
  const host = secret('SMS_WEBHOOK_HOST') || settings.webhook_host
  const port = Number(secret('SMS_WEBHOOK_PORT') || settings.webhook_port)
  const isOpen = /^(1|true|yes|on)$/i.test(secret('SMS_INSECURE_NO_SIGNATURE'))
  if (isOpen && !isLoopbackHost(host))
    throw deliveryRefused(
      'SMS_OPEN_DOOR',
      'SMS_INSECURE_NO_SIGNATURE is for this machine only. Set webhook_host to 127.0.0.1.',
    )
  if (!isOpen && isAddressSigned && publicAddress(context) === '') {
    const advice = `Set platforms.sms.webhook_url to the address that is set at ${label}.`
    throw deliveryRefused('SMS_MISSING_WEBHOOK_URL', `Signatures are made over the public address. ${advice}`)
  }
  return { host, port, isOpen }
}

function publicAddress({ secret, settings }: SmsContext): string {
  return secret('SMS_WEBHOOK_URL') || settings.webhook_url
}
