/** The text that the sender wrote, without quotes and additions of mail programs. */
import { fromHtml } from './html.ts'

const MAX_CHARACTERS = 200_000

/** What was forwarded is meant to be read. */
const FORWARDED = /^\s*(?:fwd?|wg|tr|rv|enc|vs|doorst|i)\s*:/i

/** The words of a mail: its plain text, or its HTML as plain text; without quoted history and signature. */
export function extractWords(mail: {
  readonly text?: string | undefined
  readonly html?: string | undefined
  readonly subject?: string | undefined
}): string {
  const isForwarded = FORWARDED.test(mail.subject ?? '')
  const text = mail.text?.trim() ? mail.text : fromHtml(mail.html ?? '', { withHistory: isForwarded })
  const own = isForwarded ? (said: string) => said.trim() : withoutHistory
  const words = own(text.slice(0, MAX_CHARACTERS * 2).replace(/\r\n?/g, '\n'))
  return words.length > MAX_CHARACTERS ? `${words.slice(0, MAX_CHARACTERS)}\n[the rest was cut off]` : words
}

/** Begins what mail programs quote below an answer, in the languages they speak most. */
const ATTRIBUTION =
  /^(?:On\b.{5,300}\bwrote:|Am\b.{5,300}\bschrieb\b.{0,200}:|Le\b.{5,300}\ba écrit\s?:|El\b.{5,300}\bescribió:|Il\b.{5,300}\bha scritto:)$/s
const SEPARATOR = /^(?:-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Forwarded message)\s*-{2,}|_{20,})$/i

/** What Outlook writes above the mail that is answered: who, when, and about what. */
const HEADS = [
  /^(?:From|Von|De|Da|Van|Från|Fra|Od)\s?:/i,
  /^(?:Sent|Date|Gesendet|Datum|Envoyé|Enviad[oa](?: el)?|Inviato|Verzonden|Skickat|Sendt|Wysłano)\s?:/i,
  /^(?:Subject|Betreff|Objet|Asunto|Assunto|Oggetto|Onderwerp|Ämne|Emne|Temat)\s?:/i,
]
const MAX_HEADS = 6

function isHead(lines: readonly string[], index: number): boolean {
  const [first, ...more] = HEADS
  const block = lines.slice(index + 1, index + MAX_HEADS).map(trimMarks)
  return (
    first?.test(trimMarks(lines[index] ?? '')) === true && more.every((each) => block.some((line) => each.test(line)))
  )
}

/** Some programs make the names bold. */
const trimMarks = (line: string) => line.replace(/^[\s*]+/, '').replace(/^([^:]{1,20}):\*/, '$1:')

/** Answers between quoted lines stay with what they answer to. */
export function withoutHistory(text: string): string {
  const lines = text.split('\n')
  const signature = lines.indexOf('-- ')
  const body = signature >= 0 ? lines.slice(0, signature) : lines
  const quotedUpTo = findQuotedStart(body)
  const at = body.findIndex((_line, index) => isHistory(body, index, quotedUpTo))
  const kept = at >= 0 ? body.slice(0, at) : body
  while (kept.length > 0 && /^\s*(>.*)?$/.test(kept.at(-1) ?? '')) kept.pop()
  return kept.join('\n').trim()
}

/** From this line on there is nothing but quoted lines, blank ones, and ends of attributions. */
function findQuotedStart(lines: readonly string[]): number {
  let at = lines.length
  while (at > 0 && /^(>.*)?$|:$/.test(lines[at - 1]?.trim() ?? '')) at--
  return at
}

function isHistory(lines: readonly string[], index: number, quotedUpTo: number): boolean {
  const line = lines[index]?.trim() ?? ''
  const next = lines[index + 1]?.trim() ?? ''
  if (isHead(lines, index)) return true
  if (SEPARATOR.test(line)) return line.startsWith('-') || /^From:/.test(next || (lines[index + 2]?.trim() ?? ''))
  if (index + 1 < quotedUpTo) return ATTRIBUTION.test(`${line} ${next}`) && index + 2 >= quotedUpTo
  return ATTRIBUTION.test(line) || ATTRIBUTION.test(`${line} ${next}`)
}
