/** A long list of which only the rows in view exist. It stays at its end while its end is in view. */
import { ArrowDown } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { t } from '../client/language.ts'
import { RowHeights } from './window.ts'

/** Pixels above and below that are drawn ahead. */
const AHEAD = 600
const NEAR_END = 48

export interface VirtualListProps<Row extends { readonly id: string }> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly children: (row: Row) => ComponentChildren
  /** A row that is scrolled into view when it changes. */
  readonly target?: string
}

export function VirtualList<Row extends { readonly id: string }>({
  label,
  rows,
  children,
  target,
}: VirtualListProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null)
  const heights = useRef(new RowHeights()).current
  const isAtEnd = useRef(true)
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const [isAway, setAway] = useState(false)
  const [, redraw] = useState(0)
  useMemo(() => heights.setRows(rows.map(({ id }) => id)), [rows])

  const update = useCallback(() => {
    const box = scroller.current
    if (!box) return
    const from = heights.at(Math.max(0, box.scrollTop - AHEAD))
    const to = heights.at(box.scrollTop + box.clientHeight + AHEAD) + 1
    setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]))
  }, [])

  const stick = useCallback(() => {
    const box = scroller.current
    if (box && isAtEnd.current) box.scrollTop = box.scrollHeight
  }, [])

  // Before the browser paints, so that nothing jumps.
  useLayoutEffect(() => {
    stick()
    update()
  }, [rows])

  const observer = useRef<ResizeObserver>()
  observer.current ??= new ResizeObserver((changes) => {
    const box = scroller.current
    if (!box) return
    const seen = new Map<string, number>()
    for (const { target: element } of changes) {
      const { id } = (element as HTMLElement).dataset
      const height = (element as HTMLElement).offsetHeight
      if (id !== undefined && height > 0 && heights.height(id) !== height) seen.set(id, height)
    }
    if (seen.size === 0) return
    const grown = heights.measure(seen, box.scrollTop)
    redraw((each) => each + 1)
    if (!isAtEnd.current && grown !== 0) requestAnimationFrame(() => box.scrollBy({ top: grown, behavior: 'instant' }))
  })
  useLayoutEffect(() => {
    stick()
  })
  useEffect(() => {
    const box = scroller.current
    if (!box) return undefined
    const sizes = new ResizeObserver(() => {
      stick()
      update()
    })
    sizes.observe(box)
    return () => {
      sizes.disconnect()
      observer.current?.disconnect()
    }
  }, [])
  useEffect(() => {
    const index = rows.findIndex(({ id }) => id === target)
    if (index < 0 || !scroller.current) return
    isAtEnd.current = false
    scroller.current.scrollTop = heights.start(index) - 80
    update()
  }, [target])

  const onScroll = () => {
    const box = scroller.current
    if (!box) return
    isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END
    setAway(box.scrollHeight - box.scrollTop - box.clientHeight > 300)
    update()
  }
  const toEnd = () => {
    isAtEnd.current = true
    stick()
    update()
  }
  const [from, to] = [range[0], Math.min(range[1], rows.length)]
  return (
    <div class="virtual">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard */}
      <div class="virtual-scroller" ref={scroller} onScroll={onScroll} role="feed" aria-label={label} tabIndex={0}>
        <div class="virtual-all" style={{ height: `${heights.total}px` }}>
          <div class="virtual-window" style={{ transform: `translateY(${heights.start(from)}px)` }}>
            {rows.slice(from, to).map((row, at) => (
              <VirtualRow
                key={row.id}
                id={row.id}
                place={from + at + 1}
                count={rows.length}
                observer={observer.current as ResizeObserver}
              >
                {children(row)}
              </VirtualRow>
            ))}
          </div>
        </div>
      </div>
      {isAway && (
        <button type="button" class="to-end" onClick={toEnd} aria-label={t('To the end')} title={t('To the end')}>
          <ArrowDown size={18} aria-hidden="true" />
        </button>
      )}
    </div>
  )
}

interface RowProps {
  readonly id: string
  readonly place: number
  readonly count: number
  readonly observer: ResizeObserver
  readonly children: ComponentChildren
}

function VirtualRow({ id, place, count, observer, children }: RowProps) {
  const ref = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return undefined
    observer.observe(element)
    return () => observer.unobserve(element)
  }, [])
  return (
    <article ref={ref} class="row" data-id={id} aria-posinset={place} aria-setsize={count}>
      {children}
    </article>
  )
}
