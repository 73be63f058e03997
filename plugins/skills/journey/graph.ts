/** What was learned as a graph: entries and the sessions they are from, and what links them. Pure but for titles of sessions. */
import type { Entry, JourneyDeps } from './entries.ts'

/**
 * `related`: one says that it belongs to the other. `mentions`: the text of one names the other. `learned`: from an entry to its session.
 */
export type EdgeKind = 'related' | 'mentions' | 'learned'

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly kind: EdgeKind
}

export interface SessionNode {
  /** `session:` and its id. */
  readonly id: string
  readonly title: string
}

export interface Graph {
  readonly entries: readonly Entry[]
  readonly sessions: readonly SessionNode[]
  readonly edges: readonly GraphEdge[]
}

/** Entries that were brought are in it only where one that was learned is linked to them. */
export function buildGraph(all: readonly Entry[], sessionTitle: JourneyDeps['sessionTitle']): Graph {
  const named = new Map(all.flatMap((entry) => (entry.name === undefined ? [] : [[entry.name, entry] as const])))
  const links = all.flatMap((entry) => findLinks(entry, named))
  const learned = new Set(all.filter(({ isBrought }) => !isBrought).map(({ id }) => id))
  const edges = links.filter(({ from, to }) => learned.has(from) || learned.has(to))
  const shown = new Set([...learned, ...edges.flatMap(({ from, to }) => [from, to])])
  const sessions = new Map<string, SessionNode>()
  const origins = all.flatMap(({ id, sessionId }): GraphEdge[] => {
    const title = sessionId === undefined || !shown.has(id) ? undefined : sessionTitle(sessionId)
    if (sessionId === undefined || title === undefined) return []
    const to = `session:${sessionId}`
    sessions.set(to, { id: to, title: title || sessionId })
    return [{ from: id, to, kind: 'learned' }]
  })
  return {
    entries: all.filter(({ id }) => shown.has(id)),
    sessions: [...sessions.values()],
    edges: [...edges, ...origins],
  }
}

function findLinks(entry: Entry, named: ReadonlyMap<string, Entry>): GraphEdge[] {
  const link = (kind: EdgeKind) => (name: string) => {
    const other = named.get(name)
    return other === undefined || other.id === entry.id ? [] : [{ from: entry.id, to: other.id, kind }]
  }
  const related = new Set(entry.related ?? [])
  const mentioned = findNames(entry.text).filter((name) => !related.has(name))
  return [...[...related].flatMap(link('related')), ...mentioned.flatMap(link('mentions'))]
}

/** A name of one word is a mention only where it is marked as one, since most such names are words of the language, too. */
function findNames(text: string): readonly string[] {
  const compound = text.toLowerCase().match(/(?<![\w-])[a-z0-9]+(?:-[a-z0-9]+)+(?![\w-])/g) ?? []
  const marked = [
    ...text.matchAll(
      /`\/?([a-z0-9-]+)`|(?<![\w/.])\/([a-z0-9-]+)(?![\w/])|\bskill:? ([a-z0-9-]+)|\b([a-z0-9-]+) skill\b/g,
    ),
  ]
  return [
    ...new Set([...compound, ...marked.flatMap((found) => found.slice(1).find((name) => name !== undefined) ?? [])]),
  ]
}
