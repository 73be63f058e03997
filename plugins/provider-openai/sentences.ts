/** What people read when an address is wrong: what happened, where, and what to type next. */
import { type Endpoint, pathOf } from './endpoint.ts'

/** The server at the beginning of a sentence. */
export function nameOf({ entry, baseUrl }: Endpoint): string {
  return entry.id === 'custom' ? `The server at ${baseUrl}` : entry.label
}

/** Most often the address lacks its `/v1`. */
export function wrongPathSentence(endpoint: Endpoint, what: string): string {
  const { baseUrl, setting } = endpoint
  const isVersioned = /\/v\d+[a-z0-9]*$/.test(baseUrl)
  const advice =
    setting === undefined || isVersioned
      ? changeSentence(setting)
      : `Most servers want /v1 at the end: \`svc config set ${setting} ${baseUrl}/v1\`.`
  const path = baseUrl + pathOf(endpoint)
  const who = endpoint.entry.id === 'custom' ? `The server at ${path}` : `${nameOf(endpoint)} (${path})`
  return `${who} ${what}.${advice === undefined ? '' : ` ${advice}`}`
}

/** How to change an address that a config key holds. */
export function changeSentence(setting: string | undefined): string | undefined {
  return setting === undefined
    ? undefined
    : `If the address is wrong: \`svc config set ${setting} http://host:port/v1\`.`
}
