/** The screen of a view: its lines, which can be scrolled. */
import type { SharedView } from 'svc/sdk/dashboard'
import type { OverlayView, StyledLine, TuiContext } from 'svc/sdk/terminal'

interface ScreenOptions {
  draw(width: number): readonly StyledLine[]
  readonly onChange: SharedView['onChange']
  readonly keys: string
}

export function openScreen(ui: TuiContext, { draw, onChange, keys }: ScreenOptions): OverlayView {
  const stop = onChange?.(() => ui.redraw())
  let [first, last, page] = [0, 0, 1]
  const steps: Readonly<Record<string, () => number>> = {
    up: () => -1,
    down: () => 1,
    pageup: () => -page,
    pagedown: () => page,
    home: () => -first,
    end: () => last,
  }
  return {
    keys,
    lines({ width, rows }) {
      const lines = draw(width)
      page = Math.max(1, rows - 1)
      last = Math.max(0, lines.length - rows)
      first = Math.min(first, last)
      return lines.slice(first, first + rows)
    },
    input(input) {
      const step = input.type === 'key' ? steps[input.name] : undefined
      if (!step) return 'ignored'
      first = Math.max(0, Math.min(last, first + step()))
      return 'taken'
    },
    close: () => void stop?.(),
  }
}
