/** Lines over days. What it shows is in a table beside it, too. */
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { chosenSkin } from '../client/look.ts'

export interface ChartProps {
  readonly label: string
  /** `2026-11-28`. */
  readonly days: readonly string[]
  readonly series: readonly {
    readonly label: string
    /** The name of a custom property. */
    readonly color: string
    readonly values: readonly number[]
  }[]
}

const HEIGHT = 220

export function Chart({ label, days, series }: ChartProps) {
  const ref = useRef<HTMLDivElement>(null)
  const skin = chosenSkin.value
  useEffect(() => {
    const box = ref.current
    if (!box) return undefined
    const style = getComputedStyle(document.documentElement)
    const read = (name: string) => style.getPropertyValue(name)
    const axis = {
      stroke: read('--muted'),
      grid: { stroke: read('--line'), width: 1 },
      ticks: { stroke: read('--line') },
    }
    const options: uPlot.Options = {
      width: box.clientWidth,
      height: HEIGHT,
      scales: { x: { time: true } },
      axes: [axis, { ...axis, size: 70 }],
      series: [
        {},
        ...series.map((each) => ({ label: each.label, stroke: read(each.color), width: 2, points: { size: 6 } })),
      ],
    }
    const times = days.map((day) => Date.parse(day) / 1000)
    const plot = new uPlot(options, [times, ...series.map(({ values }) => [...values])], box)
    const sizes = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }))
    sizes.observe(box)
    return () => {
      sizes.disconnect()
      plot.destroy()
    }
  }, [days.join(), skin])
  return (
    <figure class="chart">
      <figcaption class="dim">{label}</figcaption>
      <div ref={ref} aria-hidden="true" dir="ltr" />
    </figure>
  )
}
