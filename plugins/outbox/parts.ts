/** A message as the parts that its platform takes: pieces of text, then files. */
import type { MessageText, Platform } from 'svc/sdk'
import type { KeptFile, KeptMessage, OutboxStore, Part } from './store.ts'

/** Files have numbers that texts never reach. */
const FIRST_FILE = 100_000
const DOUBLED = '*(Sent whole: it is not known whether the beginning arrived before.)*\n\n'

/** What is to be written. */
export interface Rewriting {
  readonly message: KeptMessage
  readonly platform: Platform
  readonly text: MessageText
  readonly files: readonly KeptFile[]
  readonly at: number
  /** What changed besides the text: its buttons, or that it was a draft. */
  readonly changed: readonly ('buttons' | 'draft')[]
}

/** Makes the parts say what the message says now. What was sent is edited; what nobody knows of is not touched. */
export function rewriteParts(store: OutboxStore, rewriting: Rewriting): void {
  const { message: kept, at, files, platform } = rewriting
  const { number: message } = kept
  const before = store.partsOf(message)
  store.markCut(message)
  const wasDraft = rewriting.changed.includes('draft')
  const isLost = wasDraft && before.some(({ state, receipt }) => state === 'uncertain' && receipt === null)
  const pieces = cut(rewriting, isLost ? `${DOUBLED}${kept.text}` : kept.text)
  const first = isLost ? Math.max(...before.map(({ part }) => part)) + 1 : 0
  const texts = before.filter(({ file }) => file === null)
  const lastText = texts.at(-1)?.part
  for (const [index, text] of pieces.entries()) {
    const known = before.find(({ part }) => part === first + index)
    if (known) change(store, known, text, { ...rewriting, hadButtons: known.part === lastText })
    else store.addPart({ message, part: first + index, text, file: null, at }, platform.name)
  }
  if (!isLost)
    for (const surplus of texts.slice(pieces.length)) change(store, surplus, '…', { ...rewriting, hadButtons: false })
  if (kept.draft === 1) return
  for (const [index] of files.entries()) {
    if (before.some(({ file }) => file === index)) continue
    store.addPart({ message, part: FIRST_FILE + index, text: '', file: index, at }, platform.name)
  }
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
