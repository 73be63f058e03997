/** Small state of a form: one signal for each field. */
import { type Signal, useSignal } from '@preact/signals'

export interface Bound {
  readonly value: string
  onValue(value: string): void
}

/** What a field of `ui/parts` takes to show and change a signal. */
export function bind(signal: Signal<string>): Bound {
  return {
    value: signal.value,
    onValue(value) {
      signal.value = value
    },
  }
}

/** A switch for a dialog. */
export function useToggle(): { readonly isOn: boolean; on(): void; off(): void } {
  const state = useSignal(false)
  return {
    get isOn() {
      return state.value
    },
    on() {
      state.value = true
    },
    off() {
      state.value = false
    },
  }
}
