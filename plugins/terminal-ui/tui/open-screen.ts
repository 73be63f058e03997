/** A screen of any plugin, opened so that its faults are charged to its plugin. */
import type { ContributionRegistry } from 'svc/sdk/host'
import type { Overlay, OverlayView, StyledLine, TuiContext } from 'svc/sdk/terminal'

const FAILED = 'Esc close'

/** What the screen shows; undefined if it cannot be opened. A screen that fails later closes at the next key. */
export function openCharged(
  screen: Overlay,
  screens: ContributionRegistry<Overlay>,
  ui: TuiContext,
): OverlayView | undefined {
  const view = screens.attempt(screen, () => screen.open(ui), isView)
  return (
    view && {
      lines: (room) => screens.attempt(screen, () => view.lines(room), isLines) ?? [],
      input: (input) => screens.attempt(screen, () => view.input(input), isOutcome) ?? 'close',
      get keys() {
        return screens.attempt(screen, () => view.keys, isText) ?? FAILED
      },
      close: () => screens.attempt(screen, () => view.close?.()),
    }
  )
}

/** Whether a value is a line: spans with a text each. */
export function isLine(value: unknown): value is StyledLine {
  return Array.isArray(value) && value.every((span) => isText((span as { text?: unknown } | null)?.text))
}

export function isLines(value: unknown): boolean {
  return Array.isArray(value) && value.every(isLine)
}

const isText = (value: unknown) => typeof value === 'string'
const isOutcome = (value: unknown) => ['taken', 'ignored', 'close'].includes(value as string)
const isView = (value: unknown) => {
  const { lines, input } = (value ?? {}) as Record<string, unknown>
  return typeof lines === 'function' && typeof input === 'function'
}
