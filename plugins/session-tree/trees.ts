/** The tree itself: sessions by what they branched off, with labels and branches in the order of the conversation. */
import { type SessionSummary, type Sessions, type SessionTreeRow, type SessionTrees, SvcError } from 'svc/sdk'
import type { LabelRow, LabelStore } from './store.ts'

interface Ports {
  readonly sessions: () => Sessions
  readonly now: () => number
}

/** As long as a title. */
const LONGEST_LABEL = 80
const SEARCHED = 1000

/** What stands below a session. */
type Child = Required<Pick<SessionTreeRow, 'label'>> | { readonly branch: SessionSummary }

/** Contract: `SessionTrees` of the SDK. */
export class Trees implements SessionTrees {
  readonly #store: LabelStore
  readonly #ports: Ports

  constructor(store: LabelStore, ports: Ports) {
    this.#store = store
    this.#ports = ports
  }

  rows(sessionId: string): readonly SessionTreeRow[] {
    const family = this.#ports.sessions().family(sessionId)
    const ids = new Set(family.map(({ id }) => id))
    const root = family.find(({ parent }) => parent === undefined || !ids.has(parent)) ?? family[0]
    return root ? rowsOf(root, { labels: this.#store.of([...ids]), family, stem: '', guide: '' }) : []
  }

  label(sessionId: string, { text, at }: Parameters<SessionTrees['label']>[1]): number {
    const count = this.#ports.sessions().open(sessionId).history().length
    const place = at ?? count
    if (!Number.isInteger(place) || place < 1 || place > count) throw unknownPoint(place, count)
    const kept = labelText(text)
    if (kept === undefined) this.#store.remove({ session: sessionId, at: place })
    else this.#store.set({ session: sessionId, at: place, text: kept }, this.#ports.now())
    return place
  }
}

function unknownPoint(place: number, count: number): SvcError {
  const known = count === 0 ? 'The conversation has no messages yet' : `The messages are numbered from 1 to ${count}`
  return new SvcError('SESSION_POINT_UNKNOWN', `There is no message ${place}. ${known}.`, { status: 404 })
}

function labelText(text: string): string | undefined {
  const line = text.slice(0, SEARCHED).replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
  return [...line.trim()].slice(0, LONGEST_LABEL).join('').trimEnd() || undefined
}

function rowsOf(
  session: SessionSummary,
  tree: {
    readonly labels: readonly LabelRow[]
    readonly family: readonly SessionSummary[]
    /** The box drawing of this row, and of those below it. */
    readonly guide: string
    readonly stem: string
  },
): SessionTreeRow[] {
  const { labels, family, guide, stem } = tree
  const own = labels.filter((label) => label.session === session.id)
  const points = own.map(({ at, text }): Child => ({ label: { at, text } }))
  const branches = family.filter(({ parent }) => parent === session.id).map((branch): Child => ({ branch }))
  const children = [...points, ...branches]
  const below = children.toSorted((one, two) => placeOf(one) - placeOf(two))
  const rows = below.flatMap((child, index): SessionTreeRow[] => {
    const isLast = index === below.length - 1
    const lead = `${stem}${isLast ? '└─ ' : '├─ '}`
    if ('label' in child) return [{ guide: lead, session, label: child.label }]
    return rowsOf(child.branch, { labels, family, guide: lead, stem: `${stem}${isLast ? '   ' : '│  '}` })
  })
  return [{ guide, session }, ...rows]
}

/** Branches of early versions do not know where they begin; they stand at the end. */
function placeOf(child: Child): number {
  return 'label' in child ? child.label.at : (child.branch.branchedAt ?? Number.MAX_SAFE_INTEGER)
}
