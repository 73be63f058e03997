/** Opens an address in the session's tab, or in a new one when the tab is beyond help. */
import { type Clock, SvcError } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import type { BrowserSession, BrowserTab } from 'svc/sdk/web'

/** A page that does not answer within this time is left behind. */
const ANSWER_MS = 2000
const REASONS: Readonly<Record<string, string>> = {
  'net::ERR_TOO_MANY_REDIRECTS': 'it redirects without end',
  'net::ERR_CONNECTION_REFUSED': 'the server refused the connection',
  'net::ERR_NAME_NOT_RESOLVED': 'there is no server of that name',
  'net::ERR_EMPTY_RESPONSE': 'the server sent nothing',
  'net::ERR_CERT_AUTHORITY_INVALID': 'its certificate is not trusted',
  'net::ERR_CERT_DATE_INVALID': 'its certificate has run out',
  'net::ERR_CERT_COMMON_NAME_INVALID': 'its certificate is for another name',
}

/** A complete http or https address; throws `BROWSER_BAD_URL`. */
export function readAddress(typed: string): string {
  const text = typed.trim()
  const complete = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text) ? text : `https://${text}`
  const url = URL.canParse(complete) ? new URL(complete) : undefined
  if (!url?.hostname) throw new SvcError('BROWSER_BAD_URL', `${JSON.stringify(typed)} is not a complete address.`)
  if (url.protocol === 'http:' || url.protocol === 'https:') return url.href
  throw new SvcError('BROWSER_BAD_URL', `${url.protocol} addresses are not opened, only http and https.`)
}

/** Resolves when the page begins to show; throws `BROWSER_BLOCKED` or `BROWSER_LOAD`. */
export async function load(session: BrowserSession, address: string, clock: Clock): Promise<BrowserTab> {
  const tab = await usableTab(session, clock)
  tab.takeNotes()
  const { errorText, isDownload } = await tab.leave(() =>
    tab.ask(() => tab.target().send<{ errorText?: string; isDownload?: boolean }>('Page.navigate', { url: address })),
  )
  if (errorText === undefined) return tab
  const { refusal } = tab.takeNotes()
  if (refusal?.isMainFrame) {
    throw new SvcError('BROWSER_BLOCKED', `${address} led to ${refusal.url}, which was not loaded: ${refusal.reason}`)
  }
  if (isDownload) throw new SvcError('BROWSER_LOAD', `${address} is a file to save; downloads are refused.`)
  throw new SvcError('BROWSER_LOAD', `${address} could not be loaded: ${REASONS[errorText] ?? errorText}.`)
}

async function usableTab(session: BrowserSession, clock: Clock): Promise<BrowserTab> {
  const [tab] = session.tabs
  if (!tab) return session.openTab()
  if (!tab.crashed && (await tab.leave(() => answers(tab, clock)))) return tab
  await tab.close()
  return session.openTab()
}

/** A script that never ends keeps a page from being left. */
async function answers(tab: BrowserTab, clock: Clock): Promise<boolean> {
  const answer = tab.target().send('Runtime.evaluate', { expression: '1' })
  const hasAnswered = answer.then(
    () => true,
    () => false,
  )
  return (await waitAtMost(clock, ANSWER_MS, hasAnswered)) ?? false
}
