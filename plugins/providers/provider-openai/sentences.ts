/** What people read when a call fails where that is not the same for every service: a wrong address or path. */
import type { ModelCallSpec } from 'svc/sdk/provider'
import type { Endpoint } from './endpoint.ts'
import { getErrorRules } from './error-rules.ts'

type Explain = NonNullable<ModelCallSpec['errors']['explain']>
type Answer = Parameters<Explain>[0]

/** Codes of errors in a stream, as statuses (`ResponseError.code` in the reference of the Responses API). */
const STATUS_OF_CODE: readonly (readonly [RegExp, number])[] = [
  [/^rate_limit_exceeded$/, 429],
  [/overloaded|slow_down/, 503],
  [/^(invalid|image|empty_image|unsupported|failed_to_download|data_residency|bio_policy)/, 400],
]

/** What is particular to errors of an endpoint. */
export function createErrorTexts(endpoint: Endpoint): ModelCallSpec['errors'] {
  return {
    noun: endpoint.wire === 'chat' ? 'chat completion' : 'response of the Responses API',
    api: 'an OpenAI-compatible API',
    status: (code) => STATUS_OF_CODE.find(([pattern]) => pattern.test(code))?.[1],
    rules: getErrorRules(endpoint.entry.id),
    explain(answer) {
      const lost = lostWith(answer)
      if (lost === undefined) return undefined
      return { kind: 'invalid', message: wrongPathSentence(endpoint, lost), retryable: false, status: answer.status }
    },
  }
}

/** The server at the beginning of a sentence. */
export function formatServerName({ entry, baseUrl }: Endpoint): string {
  return entry.id === 'custom' ? `The server at ${baseUrl}` : entry.label
}

/** The path of the API that answers. */
export function getApiPath({ wire }: Pick<Endpoint, 'wire'>): string {
  return wire === 'responses' ? '/responses' : '/chat/completions'
}

/** How to change an address that a config key holds. */
export function changeSentence(setting: string | undefined): string | undefined {
  return setting === undefined
    ? undefined
    : `If the address is wrong: \`svc config set ${setting} http://host:port/v1\`.`
}

/** What servers say to a path they do not know; LM Studio says it with status 200. */
const UNKNOWN_PATH =
  /^$|^\W*(404 )?(page|file|path|route|url|resource|endpoint|the requested (url|resource|path).*)? ?not found\W*$|^\W*404\W*$|invalid url|unknown (path|route|url|request url)|unrecognized request url|no route|cannot post|unexpected endpoint/i

/** What shows that the address is wrong. LM Studio answers 200 to paths it does not know. */
function lostWith({ status, headers, isPage, message }: Answer): string | undefined {
  if (status >= 300 && status < 400) return `sends callers on to ${headers['location'] ?? 'another address'}`
  if (isPage && (status < 400 || status === 404)) return 'answered with a web page'
  const isUnknown = (status === 404 || (status < 400 && message !== '')) && UNKNOWN_PATH.test(message)
  const said = message === '' ? '' : ` (${message.replace(/\.$/, '')})`
  return isUnknown ? `does not know this path${said}` : undefined
}

/** Most often the address lacks its `/v1`. */
function wrongPathSentence(endpoint: Endpoint, what: string): string {
  const { baseUrl, setting } = endpoint
  const isVersioned = /\/v\d+[a-z0-9]*$/.test(baseUrl)
  const advice =
    setting === undefined || isVersioned
      ? changeSentence(setting)
      : `Most servers want /v1 at the end: \`svc config set ${setting} ${baseUrl}/v1\`.`
  const path = baseUrl + getApiPath(endpoint)
  const who = endpoint.entry.id === 'custom' ? `The server at ${path}` : `${formatServerName(endpoint)} (${path})`
  return `${who} ${what}.${advice === undefined ? '' : ` ${advice}`}`
}
