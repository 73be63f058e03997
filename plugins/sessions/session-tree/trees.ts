/** The tree itself: sessions by what they branched off, with labels and branches in the order of the conversation. */
import { errorCode, type SessionSummary, type Sessions, SvcError } from 'svc/sdk'
import type { SessionLabel, SessionTreeRow, SessionTrees } from 'svc/sdk/sessions'
import type { LabelRow, LabelStore } from './store.ts'

interface Deps {
  readonly sessions: () => Sessions
  readonly now: () => number
}

/** As long as a title. */
const LONGEST_LABEL = 80
const SEARCHED = 1000

/** The children of a session. */
type Child = Required<Pick<SessionTreeRow, 'label'>> | { readonly branch: SessionSummary }

/** Contract: `SessionTrees` of the SDK. */
export class Trees implements SessionTrees {
  readonly #store: LabelStore
  readonly #deps: Deps

  constructor(store: LabelStore, deps: Deps) {
    this.#store = store
    this.#deps = deps
  }

  rows(sessionId: string): readonly SessionTreeRow[] {
    const family = this.#deps.sessions().family(sessionId)
    const ids = new Set(family.map(({ id }) => id))
    const root = family.find(({ parent }) => parent === undefined || !ids.has(parent)) ?? family[0]
    if (!root) return []
    const own = this.#store.of([...ids])
    const labels = [
      ...own.filter((label) => label.session !== root.id && !isShownBefore(label, own, family)),
      ...this.#listLabels(root, new Set()).map((label) => ({ ...label, session: root.id })),
    ]
    return createRows(root, { labels, family, stem: '', guide: '' })
  }

  labels(sessionId: string): readonly SessionLabel[] {
    return this.#listLabels(this.#deps.sessions().summary(sessionId), new Set())
  }

  /** An archive may make a circle of parents: `seen` ends it. */
  #listLabels({ id, parent, branchedAt = 0 }: SessionSummary, seen: Set<string>): readonly SessionLabel[] {
    seen.add(id)
    const own = this.#store.of([id]).map(({ at, text }) => ({ at, text }))
    if (parent === undefined || seen.has(parent)) return own
    const isShared = ({ at }: SessionLabel) => at <= branchedAt && !own.some((label) => label.at === at)
    const shared = this.#labelsOfParent(parent, seen).filter(isShared)
    if (shared.length === 0 || !this.#beginsAsRecorded(id, branchedAt)) return own
    return [...shared, ...own].toSorted((one, two) => one.at - two.at)
  }

  /** Those of a parent that was removed are still stored. */
  #labelsOfParent(id: string, seen: Set<string>): readonly SessionLabel[] {
    try {
      return this.#listLabels(this.#deps.sessions().summary(id), seen)
    } catch (error) {
      if (errorCode(error) !== 'SESSION_NOT_FOUND') throw error
      return this.#store.of([id]).map(({ at, text }) => ({ at, text }))
    }
  }

  /** Places are the same in a branch unless messages before it had been taken back or compressed. */
  #beginsAsRecorded(id: string, branchedAt: number): boolean {
    let count = 0
    for (const { seq } of this.#deps.sessions().read(id).messages()) if (seq === 0) count++
    return count === branchedAt
  }

  label(sessionId: string, { text, at }: Parameters<SessionTrees['label']>[1]): number {
    const count = this.#deps.sessions().open(sessionId).history().length
    const place = at ?? count
    if (!Number.isInteger(place) || place < 1 || place > count) throw unknownPoint(place, count)
    const kept = labelText(text)
    if (kept === undefined) this.#store.remove({ session: sessionId, at: place })
    else this.#store.set({ session: sessionId, at: place, text: kept }, this.#deps.now())
    return place
  }
}

/** An import gives a branch the labels that it shares with its parent. */
function isShownBefore(
  { session, at, text }: LabelRow,
  labels: readonly LabelRow[],
  family: readonly SessionSummary[],
): boolean {
  const { parent, branchedAt = 0 } = family.find(({ id }) => id === session) ?? {}
  return at <= branchedAt && labels.some((each) => each.session === parent && each.at === at && each.text === text)
}

function unknownPoint(place: number, count: number): SvcError {
  const known = count === 0 ? 'The conversation has no messages yet' : `The messages are numbered from 1 to ${count}`
  return new SvcError('SESSION_POINT_UNKNOWN', `There is no message ${place}. ${known}.`, { status: 404 })
}

function labelText(text: string): string | undefined {
  const line = text.slice(0, SEARCHED).replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
  return [...line.trim()].slice(0, LONGEST_LABEL).join('').trimEnd() || undefined
}

function createRows(
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
  const below = children.toSorted((one, two) => getChildPosition(one) - getChildPosition(two))
  const rows = below.flatMap((child, index): SessionTreeRow[] => {
    const isLast = index === below.length - 1
    const lead = `${stem}${isLast ? '└─ ' : '├─ '}`
    if ('label' in child) return [{ guide: lead, session, label: child.label }]
    return createRows(child.branch, { labels, family, guide: lead, stem: `${stem}${isLast ? '   ' : '│  '}` })
  })
  return [{ guide, session }, ...rows]
}

/** Branches of early versions do not know where they begin; they stand at the end. */
function getChildPosition(child: Child): number {
  return 'label' in child ? child.label.at : (child.branch.branchedAt ?? Number.MAX_SAFE_INTEGER)
}
