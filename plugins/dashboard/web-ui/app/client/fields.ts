/** Small state of a form: one signal for each field. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useSearch } from 'wouter-preact'

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

/** The text of a search field, which begins with that of the address: `?q=`. */
export function useSearched(): Signal<string> {
  const wanted = new URLSearchParams(useSearch()).get('q') ?? ''
  const typed = useSignal(wanted)
  useEffect(() => {
    if (wanted !== '') typed.value = wanted
  }, [wanted])
  return typed
}
