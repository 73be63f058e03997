/** The graph as a drawing. The list says the same, so readers of the screen are not told of it. */
import { type Graph, placeNodes, RADIUS } from './graph.ts'

interface DrawingProps {
  readonly graph: Graph
  /** The id of the entry that is looked at in the list. */
  readonly active: string | undefined
}

export function GraphDrawing({ graph: { nodes, edges }, active }: DrawingProps) {
  const { dots, radius } = placeNodes(nodes)
  return (
    <svg class="journey-drawing" viewBox={[-RADIUS, -RADIUS, 2 * RADIUS, 2 * RADIUS].join(' ')} aria-hidden="true">
      {edges.map(({ from, to, kind }) => {
        const [start, end] = [dots.get(from), dots.get(to)]
        if (!start || !end) return null
        return (
          <line
            key={`${from} ${to} ${kind}`}
            class={from === active || to === active ? 'active' : ''}
            {...{ x1: start.x, y1: start.y, x2: end.x, y2: end.y }}
          />
        )
      })}
      {nodes.map(({ id, title }) => {
        const dot = dots.get(id)
        return (
          dot && (
            <circle
              key={id}
              class={`kind-${dot.kind} ${id === active ? 'active' : ''}`}
              {...{ cx: dot.x, cy: dot.y, r: id === active ? radius * 1.5 : radius }}
            >
              <title>{title}</title>
            </circle>
          )
        )
      })}
    </svg>
  )
}
