/** What was learned, as the page shows it: entries by kind with their links, and where a drawing has them. Pure. */
import type { ResultOf } from '../client/typed.ts'

export type Graph = ResultOf<'GET', '/api/learning/graph'>
export type Entry = Graph['nodes'][number]
type Edge = Graph['edges'][number]

/** The kind of nodes that are sessions; the list names them at what was learned in them. */
export const SESSION = 'session'
/** Of the drawing, whose centre is 0. */
export const RADIUS = 200
const MAX_DOT = 9
const MIN_DOT = 2

/** Entries by kind, in the order in which the graph first has a kind. */
export function groupEntries({ nodes }: Graph): ReadonlyMap<string, readonly Entry[]> {
  return groupByKind(nodes.filter(({ kind }) => kind !== SESSION))
}

function groupByKind(nodes: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const kinds = [...new Set(nodes.map(({ kind }) => kind))]
  return new Map(kinds.map((kind) => [kind, nodes.filter((node) => node.kind === kind)]))
}

/** The nodes that links of this kind lead to from an entry. */
export function findLinked({ nodes, edges }: Graph, id: string, kind: Edge['kind']): readonly Entry[] {
  const ends = new Set(edges.filter((edge) => edge.from === id && edge.kind === kind).map(({ to }) => to))
  return nodes.filter((node) => ends.has(node.id))
}

export interface Dot {
  readonly x: number
  readonly y: number
  readonly kind: string
}

export interface Drawing {
  readonly dots: ReadonlyMap<string, Dot>
  /** Of each dot. */
  readonly radius: number
}

/** A circle for each kind, that with the fewest nodes innermost. Equal graphs have equal drawings. */
export function placeNodes(nodes: readonly Entry[]): Drawing {
  const kinds = [...groupByKind(nodes)].sort(([, one], [, other]) => one.length - other.length)
  const room = RADIUS - MAX_DOT
  let nearest = room / (kinds.length + 1)
  const dots = new Map<string, Dot>()
  for (const [ring, [kind, members]] of kinds.entries()) {
    const distance = (room * (ring + 1)) / kinds.length
    nearest = Math.min(nearest, (2 * Math.PI * distance) / members.length)
    for (const [at, { id }] of members.entries()) {
      // Circles are turned against each other, so that links do not cover each other.
      const angle = 2 * Math.PI * ((at + ring / kinds.length) / members.length) - Math.PI / 2
      dots.set(id, { x: round(distance * Math.cos(angle)), y: round(distance * Math.sin(angle)), kind })
    }
  }
  return { dots, radius: Math.max(MIN_DOT, Math.min(MAX_DOT, nearest / 3)) }
}

const round = (value: number) => Math.round(value * 10) / 10
