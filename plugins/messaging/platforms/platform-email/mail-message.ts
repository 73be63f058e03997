/** From a mail to a message, and from a message to a mail. */
import { createHash } from 'node:crypto'
import type { InboundMessage, OutboundFile, OutboundMessage } from 'svc/sdk/platform'
import { getDomain, isAddress, type MailAccount } from './account.ts'
import { automaticReason } from './automatic.ts'
import { extractWords } from './body-text.ts'
import { asWindows, declareWindowsCharset, isUnread } from './charset.ts'
import { toBodies } from './html-markup.ts'
import { digestWords } from './loop-limit.ts'
import type { StoredMail } from './mailbox.ts'
import { isProven, type MailHeader } from './sender.ts'
import type { ThreadMail } from './store.ts'

/** Precedes the address of an unverified sender. */
const UNVERIFIED = 'unverified:'
const MAX_ANCESTORS = 20
const MAX_COPIES = 50

/** A mail that was understood. */
export interface Letter {
  readonly message: InboundMessage
  readonly thread: ThreadMail
  /** By which a repetition is known. */
  readonly digest: string
}

/** Where a mail came from. */
export interface LetterContext {
  readonly account: MailAccount
  readonly validity: string
  /** Finds the thread of a mail that it answers to. */
  known(chat: string, id: string): ThreadMail | undefined
}

/** Undefined, with a reason for the log, for mail that is not answered. */
export async function readLetter(mail: StoredMail, context: LetterContext): Promise<Letter | string> {
  const { addressParser, PostalMime } = await import('./mime.ts')
  const { headers, from, subject, text: plain, html } = await parseMail(PostalMime, mail.source)
  const address = from?.address?.trim().toLowerCase() ?? ''
  const listed = (name: string) =>
    headers.flatMap(({ key, value }) => (key === name ? addressParser(value, { flatten: true }) : []))
  const senders = listed('from')
  if (!isAddress(address) || senders.length !== 1) return 'no single sender'
  if (address === context.account.address) return 'its own mail'
  const automatic = automaticReason(address, headers, subject)
  if (automatic !== undefined) return automatic
  const words = extractWords({ text: plain, html, subject })
  const isKnown = isProven(address, headers, context.account)
  const chat = isKnown ? address : `${UNVERIFIED}${address}`
  const place = `${context.validity}/${mail.uid}`
  const addresses = (name: string) => listed(name).flatMap(({ address: each }) => each?.trim().toLowerCase() ?? [])
  const thread = {
    ...findThread(headers, { chat, subject: subject.trim(), place }, context),
    ...answeredTo({ sender: address, isKnown, addresses }, context.account),
  }
  const isFirst = thread.ancestors.length === 0
  // The subject of a first mail is a part of what was said; of an answer it is a repetition.
  const text = isFirst && thread.subject && !words.startsWith('/') ? `${thread.subject}\n\n${words}`.trim() : words
  if (!text.trim() && mail.files.length === 0) return 'nothing but blanks'
  const quoted = thread.ancestors.at(-1)
  const message: InboundMessage = {
    platform: 'email',
    chatId: chat,
    chatKind: 'dm',
    userId: chat,
    threadId: thread.root,
    messageId: thread.id,
    text,
    ...(from?.name && { userName: from.name }),
    ...(quoted !== undefined && { quote: { messageId: quoted } }),
    ...(mail.arrivedAt !== undefined && { at: mail.arrivedAt }),
    ...(mail.files.length > 0 && {
      files: mail.files.map(({ part, ...file }) => ({ ...file, ref: `${place}/${part}` })),
    }),
  }
  return { message, thread, digest: digestWords(words || thread.subject, mail.files) }
}

/** Its text and its HTML, in characters that were meant. */
async function parseMail(PostalMime: typeof import('./mime.ts').PostalMime, source: Uint8Array) {
  const read = await PostalMime.parse(source)
  const isWhole = ![read.text, read.html, read.subject].some(isUnread)
  const again = isWhole ? read : await PostalMime.parse(declareWindowsCharset(source))
  const best = (key: 'text' | 'html' | 'subject') => {
    const text = isUnread(read[key]) ? again[key] : read[key]
    return text === undefined ? undefined : asWindows(text)
  }
  return { ...read, text: best('text'), html: best('html'), subject: best('subject') ?? '' }
}

/** Whom people expect an answer to go to (RFC 5322, section 3.6.3): where the sender wants it, and to all when svc had a copy. */
function answeredTo(
  {
    sender,
    isKnown,
    addresses,
  }: {
    readonly sender: string
    readonly isKnown: boolean
    readonly addresses: (field: string) => readonly string[]
  },
  { address: own, replyAll }: MailAccount,
): Pick<ThreadMail, 'to' | 'cc'> {
  if (!isKnown) return { to: sender, cc: [] }
  const wanted = addresses('reply-to')
  const [to = sender] = wanted.length === 1 && wanted[0] !== own ? wanted.filter(isAddress) : []
  const [first, copies] = [addresses('to'), addresses('cc')]
  if (!replyAll || first.includes(own) || !copies.includes(own)) return { to, cc: [] }
  const others = [...first, ...copies].filter((each) => isAddress(each) && ![own, to, sender].includes(each))
  return { to, cc: [...new Set(others)].slice(0, MAX_COPIES) }
}

/** RFC 5322, section 3.6.4. */
function findThread(
  headers: readonly MailHeader[],
  { chat, subject, place }: { readonly chat: string; readonly subject: string; readonly place: string },
  { known }: LetterContext,
): Omit<ThreadMail, 'to' | 'cc'> {
  const ids = (key: string) => listIds(headers.find((header) => header.key === key)?.value ?? '')
  const id = ids('message-id')[0] ?? `<${createHash('sha256').update(place).digest('hex').slice(0, 32)}@no-id.invalid>`
  const references = ids('references')
  const [repliedTo] = ids('in-reply-to')
  const ancestors = repliedTo === undefined || references.includes(repliedTo) ? references : [...references, repliedTo]
  const root = [...ancestors].reverse().flatMap((each) => known(chat, each)?.root ?? [])[0] ?? ancestors[0] ?? id
  return { chat, id, root, subject, ancestors: ancestors.slice(-MAX_ANCESTORS) }
}

function listIds(value: string): string[] {
  return (value.slice(0, 20_000).match(/<[^<>\s]{1,500}>/g) ?? []).slice(-100)
}

/** The address behind a chat; undefined if the id is not an address. */
export function parseRecipient(chatId: string): string | undefined {
  const address = chatId.replace(UNVERIFIED, '')
  return isAddress(address) ? address : undefined
}

/** A mail that leaves, and its place in its thread. */
export interface OutgoingLetter {
  readonly bytes: Uint8Array
  readonly thread: ThreadMail
  readonly recipients: readonly string[]
}

/** `before` is what it answers to. The same key makes the same Message-ID, by which readers' programs know a repetition. */
export async function writeLetter(
  message: OutboundMessage,
  {
    account,
    before,
    at,
  }: { readonly account: MailAccount; readonly before: ThreadMail | undefined; readonly at: number },
): Promise<OutgoingLetter> {
  const { chatId, key, files = [] } = message
  const bodies = account.isHtml ? toBodies(message.text) : { text: message.text.replace(/\r\n?/g, '\n') }
  const { text } = bodies
  const name = createHash('sha256').update(`${account.address}\n${chatId}\n${key}`).digest('hex').slice(0, 32)
  const id = `<svc.${name}@${getDomain(account.address)}>`
  const ancestors = before ? [...before.ancestors, before.id].slice(-MAX_ANCESTORS) : []
  const subject = createSubject(before?.subject, text, files)
  const to = before?.to || parseRecipient(chatId) || ''
  const cc = before?.cc ?? []
  const { MailComposer } = await import('./smtp.ts')
  const composed = new MailComposer({
    from: { address: account.address, name: account.displayName },
    to: { address: to, name: '' },
    ...(cc.length > 0 && { cc: cc.map((address) => ({ address, name: '' })) }),
    subject,
    messageId: id,
    date: new Date(at),
    ...bodies,
    ...(account.replyTo && { replyTo: account.replyTo }),
    ...(before && { inReplyTo: before.id, references: ancestors.join(' ') }),
    // RFC 3834, section 3: automatic responders must not answer this.
    headers: { 'Auto-Submitted': before ? 'auto-replied' : 'auto-generated' },
    ...(files.length > 0 && { attachments: await Promise.all(files.map(createAttachment)) }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const bytes = await composed.compile().build()
  const thread = { chat: chatId, id, root: before?.root ?? id, subject, ancestors, to, cc }
  return { bytes, thread, recipients: [to, ...cc] }
}

async function createAttachment({ name, mediaType, bytes }: OutboundFile) {
  return { filename: name, contentType: mediaType, content: Buffer.from(await bytes()) }
}

function createSubject(before: string | undefined, text: string, [file]: readonly OutboundFile[]): string {
  if (before !== undefined) return `Re: ${before.replace(/^(\s*(re|aw|sv|antw)\s*:)+\s*/i, '') || 'your message'}`
  const [line = ''] = text.trim().split('\n')
  const words = line.replace(/[#*_`>]/g, '').trim()
  return (words.length > 70 ? `${words.slice(0, 69)}…` : words) || file?.name || 'A message'
}
