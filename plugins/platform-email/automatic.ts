/** Mail that nobody wrote by hand: never answered, so that no two programs write to each other for ever (RFC 3834). */
import type { MailHeader } from './sender.ts'

const NOBODY =
  /^(no[-_.]?reply|do[-_.]?not[-_.]?reply|mailer-daemon|postmaster|bounces?|listserv|majordomo)([-+_.].*)?$/i

/** Why it is one, for the log; undefined for mail of people. */
export function automaticReason(address: string, headers: readonly MailHeader[]): string | undefined {
  const value = (key: string) =>
    headers
      .find((header) => header.key === key)
      ?.value.trim()
      .toLowerCase()
  const submitted = value('auto-submitted')?.replace(/[;\s(].*$/s, '')
  if (submitted !== undefined && submitted !== 'no') return `Auto-Submitted: ${submitted}`
  if (/^(bulk|list|junk)$/.test(value('precedence') ?? '')) return 'Precedence'
  if (value('list-id') !== undefined || value('list-post') !== undefined) return 'a mailing list'
  if (value('return-path')?.replace(/\s/g, '') === '<>') return 'an empty Return-Path'
  if (value('content-type')?.startsWith('multipart/report')) return 'a report'
  if (
    ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-failed-recipients'].some((key) => value(key) !== undefined)
  )
    return 'an automatic reply'
  return NOBODY.test(address.split('@', 1)[0] ?? '') ? 'an address that nobody reads' : undefined
}
