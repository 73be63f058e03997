/** Answers as people type them. */
import type { SetupQuestion, SetupValue } from 'svc/sdk/operations'

/** What Enter means. */
export function getDefault({ kind, current }: SetupQuestion): SetupValue {
  return current ?? (kind === 'confirm' ? false : kind === 'choices' ? [] : '')
}

/** A typed answer as its question wants it. */
export function toAnswer({ kind, options = [] }: SetupQuestion, typed: string): SetupValue {
  if (kind === 'confirm')
    return /^(y|yes|true|on)$/i.test(typed) ? true : /^(n|no|false|off)$/i.test(typed) ? false : typed
  const toOption = (word: string) => options[Number(word) - 1]?.value ?? word
  if (kind === 'choices')
    return typed
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(toOption)
  return kind === 'choice' ? toOption(typed) : typed
}
