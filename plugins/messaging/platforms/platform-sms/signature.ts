/**
 * Proof that a request is Twilio's: `X-Twilio-Signature` is the base64 of the HMAC-SHA1, keyed with the auth token, of the
 * public address followed by the sorted names and values of the form (twilio.com/docs/usage/webhooks/webhooks-security).
 */
import { matchesSignature } from 'svc/sdk/kit/net'

/** Whether `signature` is right for this address and form. Takes the same time for every wrong one. */
export function isSigned(token: string, url: string, form: URLSearchParams, signature: string | undefined): boolean {
  if (!signature) return false
  return listSignedAddresses(url).some((address) =>
    matchesSignature({
      ...{ key: token, parts: [address, listFields(form)], given: signature },
      ...{ encoding: 'base64', algorithm: 'sha1' },
    }),
  )
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
