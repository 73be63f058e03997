/** Automatic mail: never answered, so that two programs do not reply to each other for ever (RFC 3834). */
import type { MailHeader } from './sender.ts'

const NOBODY =
  /^(no[-_.]?reply|do[-_.]?not[-_.]?reply|mailer-daemon|postmaster|bounces?|listserv|majordomo)([-+_.].*)?$/i

/** Their presence is enough: lists and newsletters (RFC 2369, RFC 2919, RFC 8058), responders, bounces. */
const MARKS: readonly (readonly [header: string, reason: string])[] = [
  ['list-id', 'a mailing list'],
  ['list-post', 'a mailing list'],
  ['list-unsubscribe', 'a newsletter'],
  ['list-unsubscribe-post', 'a newsletter'],
  ['x-autoreply', 'an automatic reply'],
  ['x-autorespond', 'an automatic reply'],
  ['x-autoresponder', 'an automatic reply'],
  ['x-failed-recipients', 'an automatic reply'],
]

/** What the responders of Exchange, Outlook and others write before the subject, in the languages they are set to. */
const REPLIES = [
  ...['auto(?:matic)?[- ]?(?:reply|response|responder)', 'automatische antwort', 'automatisch (?:antwoord|bericht)'],
  ...['réponse automatique', 'respuesta automática', 'risposta automatica', 'resposta automática', 'autosvar'],
  ...['automatiskt? svar', 'automaattinen vastaus', 'automatyczna odpowiedź', 'automatická odpov[eě]ď'],
  ...['automatikus válasz', 'răspuns automat', 'otomatik yanıt', 'автоответ', 'автоматический ответ'],
  ...['автоматична відповідь', 'αυτόματη απάντηση', '自动答复', '自動回覆', '自動応答', '自動返信', '자동 회신'],
]
/** People name these as well: they count only in front of a colon. */
const ABSENCES = [
  ...['out of (?:the )?office', 'abwesenheits(?:notiz|nachricht|meldung)', 'absence du bureau', "message d[’']absence"],
  ...['fuera de (?:la )?oficina', 'fuori (?:sede|ufficio)', 'ausência temporária', 'fora do escritório'],
  ...['afwezigheids(?:bericht|melding)', 'frånvaro', 'fravær', 'нет на месте', '不在通知'],
]
const RESPONDER = new RegExp(
  `^\\s*(?:(?:${REPLIES.join('|')})\\s*(?:[:：]|$)|(?:${ABSENCES.join('|')})\\s*(?:auto-?reply\\s*)?[:：])`,
  'iu',
)

/** Why it is one, for the log; undefined for mail of people. */
export function automaticReason(address: string, headers: readonly MailHeader[], subject = ''): string | undefined {
  const value = (key: string) =>
    headers
      .find((header) => header.key === key)
      ?.value.trim()
      .toLowerCase()
  const submitted = value('auto-submitted')?.replace(/[;\s(].*$/s, '')
  if (submitted !== undefined && submitted !== 'no') return `Auto-Submitted: ${submitted}`
  if (/^(bulk|list|junk|auto[-_]?reply)$/.test(value('precedence') ?? '')) return 'Precedence'
  // MS-OXCMAIL, section 2.2.3.2.14. The other values are about receipts, which svc does not send.
  if (/\b(all|oof|autoreply)\b/.test(value('x-auto-response-suppress') ?? '')) return 'X-Auto-Response-Suppress'
  const mark = MARKS.find(([key]) => value(key) !== undefined)
  if (mark) return mark[1]
  if (value('return-path')?.replace(/\s/g, '') === '<>') return 'an empty Return-Path'
  if (value('content-type')?.startsWith('multipart/report')) return 'a report'
  if (RESPONDER.test(subject.normalize('NFC'))) return 'the subject of an automatic reply'
  return NOBODY.test(address.split('@', 1)[0] ?? '') ? 'an address that is not read' : undefined
}
