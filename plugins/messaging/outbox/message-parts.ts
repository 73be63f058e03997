/** A message as the parts that its platform takes: pieces of text, then files, then what is said of files it does not take. */
import type { MessageFormatter, Platform } from 'svc/sdk/platform'
import { declinedText, planFiles } from './albums.ts'
import { FIRST_FILE, type KeptFile, type KeptMessage, type OutboxStore, type Part, parseButtons } from './store.ts'

/** Above the numbers of files. */
const FIRST_DECLINED = 200_000
const DOUBLED = '*(Sent whole: it is not known whether the beginning arrived before.)*\n\n'

/** What is to be written. */
export interface Rewriting {
  readonly message: KeptMessage
  readonly platform: Platform
  readonly text: MessageFormatter
  readonly files: readonly KeptFile[]
  readonly at: number
  /** Changes besides the text: the buttons, or the draft flag. */
  readonly changed: readonly ('buttons' | 'draft')[]
}

/** Updates the parts to the present text. Sent parts are edited; uncertain ones are not touched. */
export function rewriteParts(store: OutboxStore, rewriting: Rewriting): void {
  const { message: kept, at, platform } = rewriting
  const { number: message } = kept
  const before = store.listParts(message)
  store.markCut(message)
  const wasDraft = rewriting.changed.includes('draft')
  const isLost = wasDraft && before.some(({ state, receipt }) => state === 'uncertain' && receipt === null)
  const texts = before.filter(({ part }) => part < FIRST_FILE)
  const files = kept.draft === 1 ? undefined : placeCaption(rewriting, texts.length === 0)
  const words = files?.words ?? kept.text
  const pieces = cut(rewriting, isLost ? `${DOUBLED}${words}` : words)
  const first = isLost ? Math.max(...before.map(({ part }) => part)) + 1 : 0
  const lastText = texts.at(-1)?.part
  for (const [index, text] of pieces.entries()) {
    const known = before.find(({ part }) => part === first + index)
    if (known) change(store, known, text, { ...rewriting, hadButtons: known.part === lastText })
    else store.addPart({ message, part: first + index, text, file: null, album: null, at }, platform.name)
  }
  if (!isLost)
    for (const surplus of texts.slice(pieces.length)) change(store, surplus, '…', { ...rewriting, hadButtons: false })
  if (files && !before.some(({ part }) => part >= FIRST_FILE)) addFiles(store, rewriting, files)
}

function addFiles(
  store: OutboxStore,
  { message: { number: message }, platform, at }: Rewriting,
  { albums, declined }: Captioned,
): void {
  for (const { members, text } of albums) {
    const [file = 0] = members
    const album = members.length > 1 ? JSON.stringify(members) : null
    store.addPart({ message, part: FIRST_FILE + file, text, file, album, at }, platform.name)
  }
  for (const [index, text] of declined.entries())
    store.addPart({ message, part: FIRST_DECLINED + index, text, file: null, album: null, at }, platform.name)
}

/** Albums with their captions, what is left for messages of text, and what is said of files that are not taken. */
interface Captioned {
  readonly words: string
  readonly albums: readonly { readonly members: readonly number[]; readonly text: string }[]
  readonly declined: readonly string[]
}

/** The words of a message stand under its first files where they fit; below buttons and after a draft they stand alone. */
function placeCaption(rewriting: Rewriting, isNew: boolean): Captioned {
  const { message, platform, files } = rewriting
  const { albums, declined } = planFiles(files, platform)
  const canJoin = isNew && parseButtons(message).length === 0
  const left = canJoin && albums.length > 0 ? [] : [message.text]
  const written = albums.map((members, at) => {
    const captions = formatCaptions(members.flatMap((index) => files[index] ?? []))
    const isVoice = members.some((index) => files[index]?.isVoice)
    const words = canJoin && at === 0 ? message.text : ''
    const whole = underFiles(rewriting, [words, captions].filter((text) => text.trim()).join('\n\n'), isVoice)
    if (whole !== undefined) return { members, text: whole }
    const alone = underFiles(rewriting, captions, isVoice)
    left.push(words, alone === undefined ? captions : '')
    return { members, text: alone ?? '' }
  })
  return {
    words: left.filter((text) => text.trim()).join('\n\n'),
    albums: written,
    declined: declined.length > 0 ? cut(rewriting, declinedText(declined)) : [],
  }
}

function formatCaptions(files: readonly KeptFile[]): string {
  const lines = files.flatMap(({ caption, name }) => {
    if (!caption?.trim()) return []
    return [files.length > 1 ? `${name}: ${caption}` : caption]
  })
  return lines.join('\n\n')
}

/** The text as a caption; undefined when it does not fit there. */
function underFiles({ platform, text }: Rewriting, markdown: string, isVoice: boolean): string | undefined {
  if (!markdown) return ''
  const { caption, voiceCaption, maxTextLength } = platform.limits
  const most = Math.min((isVoice ? voiceCaption : undefined) ?? caption ?? maxTextLength, maxTextLength)
  if (most <= 0) return undefined
  const pieces = text.pieces(markdown, { ...platform.limits, maxTextLength: most })
  return pieces.length > 1 ? undefined : (pieces[0] ?? '')
}

function cut({ platform, text }: Rewriting, markdown: string): readonly string[] {
  return text.pieces(markdown, platform.limits)
}

function change(
  store: OutboxStore,
  part: Part,
  text: string,
  { platform, changed, hadButtons }: Rewriting & { readonly hadButtons: boolean },
): void {
  if (part.text === text && !(changed.includes('buttons') && hadButtons)) return
  const wasSent = part.receipt !== null
  // Where nothing can be edited, what was sent stays.
  if (wasSent && !platform.edit) return
  const isWaiting = part.state === 'pending' || part.state === 'attempting'
  if (isWaiting) store.change(part, { text })
  else if (part.state === 'delivered') store.change(part, { text, state: 'pending', attempts: 0, nextAt: 0 })
}
