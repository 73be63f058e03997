/** Links signal-cli to the account of a phone, as another device of it (man signal-cli-jsonrpc, "startLink" and "finishLink"). */
import { errorMessage } from 'svc/sdk'
import { deliveryRefused } from 'svc/sdk/platform'
import type { PhoneLink } from 'svc/sdk/sign-in'
import { isUnknownMethod, type SignalApi } from './api.ts'

/** Signal's servers end a code sooner, and who waits may. */
const LINK_MS = 600_000
/** As the phone lists it. */
const DEVICE_NAME = 'svc'

/** Throws `SIGNAL_FAILED`. The daemon must run for several accounts. */
export async function startLink(api: SignalApi, signal: AbortSignal): Promise<PhoneLink> {
  const started = await api.call('startLink', {}, { signal }).catch((error: unknown) => {
    if (!isUnknownMethod(error)) throw error
    const advice = 'Start it without an account: signal-cli daemon --http 127.0.0.1:8080'
    throw deliveryRefused('SIGNAL_FAILED', `This daemon of signal-cli links no phone: it has one account. ${advice}`)
  })
  const { deviceLinkUri } = started as { readonly deviceLinkUri?: unknown }
  if (typeof deviceLinkUri !== 'string' || !/^(?:sgnl|tsdevice):/.test(deviceLinkUri))
    throw deliveryRefused('SIGNAL_FAILED', 'signal-cli gave no code to scan. Use version 0.13 or newer.')
  return { address: deviceLinkUri, account: finish(api, deviceLinkUri, signal) }
}

async function finish(api: SignalApi, deviceLinkUri: string, signal: AbortSignal): Promise<string> {
  const params = { deviceLinkUri, deviceName: DEVICE_NAME }
  const linked = await api.call('finishLink', params, { signal, timeoutMs: LINK_MS }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw deliveryRefused('SIGNAL_FAILED', `The phone was not linked. ${errorMessage(error)}`, error)
  })
  const { number } = linked as { readonly number?: unknown }
  if (typeof number === 'string' && number !== '') return number
  throw deliveryRefused('SIGNAL_FAILED', 'signal-cli does not say which account it was linked to.')
}
