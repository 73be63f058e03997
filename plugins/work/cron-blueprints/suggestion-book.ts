/** Which suggestions there are and how they change. Pure. */
import { z } from 'zod'

/** More would be a list that people stop reading. */
export const MAX_PENDING = 5
/** Decided ones are remembered, so that none returns. */
const MAX_REMEMBERED = 2000

/** The job as it is shown, which is exactly what an acceptance makes. */
const offeredJob = z.object({
  name: z.string(),
  schedule: z.string(),
  prompt: z.string(),
  deliver: z.array(z.string()),
  skills: z.array(z.string()).default([]),
  script: z.string().optional(),
  isScriptOnly: z.boolean().default(false),
  origin: z.string().optional(),
})

const suggestion = z.object({
  /** Never given twice. */
  id: z.number().int().positive(),
  /** Recognizes the job that was made of it. */
  key: z.string(),
  source: z.enum(['catalog', 'blueprint', 'usage', 'integration']),
  blueprint: z.string(),
  title: z.string(),
  reason: z.string(),
  status: z.enum(['pending', 'accepted', 'dismissed']),
  createdAt: z.number(),
  decidedAt: z.number().optional(),
  /** Until it was dismissed, or the job was made. */
  job: offeredJob.optional(),
  /** Of an accepted one. Without it the job is still to be made. */
  jobId: z.string().optional(),
})
export const suggestionBook = z.object({ last: z.number().int(), suggestions: z.array(suggestion) })

export type Suggestion = z.infer<typeof suggestion>
export type SuggestionBook = z.infer<typeof suggestionBook>
export const EMPTY_BOOK: SuggestionBook = { last: 0, suggestions: [] }

/** What may be suggested. */
export type Offer = Pick<Suggestion, 'source' | 'blueprint' | 'title' | 'reason'> & {
  readonly job: z.infer<typeof offeredJob>
}

export interface MergeOptions {
  readonly now: number
  createKey(): string
}

/**
 * The book with these offers: what was decided stays decided, a pending one that is not offered any more is removed, and one whose job
 * changed gets a new number, so that nothing is accepted that was not shown. The same object where nothing changes.
 */
export function mergeOffers(
  book: SuggestionBook,
  offers: readonly Offer[],
  { now, createKey }: MergeOptions,
): SuggestionBook {
  const kept = book.suggestions.filter(
    (each) => each.status !== 'pending' || offers.some((offer) => isSame(offer, each) && isSameJob(offer, each)),
  )
  let [last, pending] = [book.last, kept.filter(({ status }) => status === 'pending').length]
  const added: Suggestion[] = []
  for (const offer of offers) {
    if (pending >= MAX_PENDING || kept.length + added.length >= MAX_REMEMBERED) break
    if (kept.some((each) => isSame(offer, each))) continue
    added.push({ ...offer, id: ++last, key: createKey(), status: 'pending', createdAt: now })
    pending++
  }
  if (added.length === 0 && kept.length === book.suggestions.length) return book
  return { last, suggestions: [...kept, ...added] }
}

/** The book with changes to one suggestion. */
export function changeSuggestion(
  book: SuggestionBook,
  id: number,
  change: (before: Suggestion) => Suggestion,
): SuggestionBook {
  return { ...book, suggestions: book.suggestions.map((each) => (each.id === id ? change(each) : each)) }
}

const isSame = (offer: Offer, { source, blueprint }: Suggestion) =>
  offer.source === source && offer.blueprint === blueprint

const isSameJob = ({ job }: Offer, other: Suggestion) =>
  other.job !== undefined && JSON.stringify(offeredJob.parse(job)) === JSON.stringify(offeredJob.parse(other.job))
