/** What people read when a call failed: what happened, where, and what to type next. */
import type { ModelFailure } from 'svc/sdk'
import type { Endpoint } from './endpoint.ts'

/** The server at the beginning of a sentence. */
export function nameOf({ entry, baseUrl }: Endpoint): string {
  return entry.kind === 'custom' ? `The server at ${baseUrl}` : entry.label
}

/** An error that the server explained itself; `said` ends like a sentence. `wait` is in milliseconds. */
export function sentence(
  kind: ModelFailure['kind'],
  said: string,
  { endpoint, model }: { readonly endpoint: Endpoint; readonly model: string },
  wait: number | undefined,
): string {
  const who = nameOf(endpoint)
  const again = wait === undefined ? 'Try again in a moment.' : `Try again in ${Math.ceil(wait / 1000)} s.`
  switch (kind) {
    case 'auth':
      return authSentence(endpoint, said)
    case 'billing':
      return `${who} wants to be paid: ${said} Check your plan and credit there, or set another model.provider.`
    case 'rate-limit':
      return `${who} limits how often it may be asked: ${said} ${again}`
    case 'overloaded':
      return `${who} is busy: ${said} ${again}`
    case 'context-overflow':
      return `This conversation is longer than ${model} can read: ${said} Start a new one or use a model that reads more.`
    case 'model-not-found':
      return `${who} has no model "${model}": ${said} Set another with \`svc config set model.default <model>\`.`
    case 'invalid':
      return `${who} did not accept the request: ${said}`
    default:
      return `${who} failed: ${said} ${again}`
  }
}

/** No key, or not the right one. */
export function authSentence(endpoint: Endpoint, said: string): string {
  const who = nameOf(endpoint)
  const { keyName } = endpoint.entry
  if (keyName === undefined) return `${who} lets nobody in: ${said}`
  const command = `\`svc config set ${keyName} <key>\``
  return endpoint.key === undefined
    ? `${who} wants an API key. Type ${command}.`
    : `${who} did not accept the key in ${keyName}: ${said} Set the right one with ${command}.`
}

/** `said` is the sentence of `Net`, `code` that of the socket. */
export function unreachableSentence({ setting, isLoopback, baseUrl }: Endpoint, said: string, code: string): string {
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code))
    return `${said} Its certificate is not trusted; name the file of your own authority in NODE_EXTRA_CA_CERTS.`
  if (/^EPROTO|^ERR_SSL|^HPE_/.test(code))
    return `${said} What answers there does not speak ${baseUrl.startsWith('https') ? 'HTTPS' : 'HTTP'}.${change(setting)}`
  const check = isLoopback ? 'Check that the server runs.' : 'Check your network connection and that the server runs.'
  return `${said} ${check}${change(setting)}`
}

/** Most often the address lacks its `/v1`. */
export function wrongPathSentence(endpoint: Endpoint, what: string): string {
  const { baseUrl, setting } = endpoint
  const isVersioned = /\/v\d+[a-z0-9]*$/.test(baseUrl)
  const advice =
    setting === undefined || isVersioned
      ? change(setting)
      : ` Most servers want /v1 at the end: \`svc config set ${setting} ${baseUrl}/v1\`.`
  const path = `${baseUrl}/chat/completions`
  return `${endpoint.entry.kind === 'custom' ? `The server at ${path}` : `${nameOf(endpoint)} (${path})`} ${what}.${advice}`
}

function change(setting: string | undefined): string {
  return setting === undefined ? '' : ` If the address is wrong: \`svc config set ${setting} http://host:port/v1\`.`
}
