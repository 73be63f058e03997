/** What the browser comes back with: sections 4.1.2 and 10.12 of RFC 6749. */
import { isSameSecret } from 'svc/sdk/kit/net'
import { signInError } from 'svc/sdk/kit/oauth'

/** `code#state`, or an address with both. */
export function readPasted(text: string, state: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url) return readCode(url.searchParams, state)
  const [code = '', own] = text.split('#')
  if (own === undefined)
    throw signInError('SIGN_IN_FAILED', 'The code is not whole. Paste all of it, with the # and what follows')
  return readCode(new URLSearchParams({ code, state: own }), state)
}

/** The code of an answer to this attempt: sections 4.1.2 and 10.12 of RFC 6749. */
export function readCode(answer: URLSearchParams, state: string): string {
  if (!isSameSecret(answer.get('state') ?? '', state))
    throw signInError('SIGN_IN_FAILED', 'That belongs to another sign-in. Begin again')
  const error = answer.get('error')
  const reason = answer.get('error_description') ?? error
  if (error === 'access_denied') throw signInError('SIGN_IN_DENIED', `The sign-in was declined: ${reason}`)
  const code = answer.get('code')
  if (error !== null || code === null || code === '')
    throw signInError('SIGN_IN_FAILED', `The service refused: ${reason ?? 'it gave no code'}`)
  return code
}
