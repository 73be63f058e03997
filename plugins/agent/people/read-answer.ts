/** What an answer means: the form of its question says which texts are one. */
import type { UserQuestion } from 'svc/sdk'

const YES = /^(?:y|yes|ok|1)$/i
const NO = /^(?:n|no|cancel|2)$/i

/** `yes` or `no`, the `id` of an item, or a text; undefined when the question does not have this answer. */
export function readAnswer({ form, choices }: UserQuestion, text: string): string | undefined {
  const typed = text.trim()
  switch (form?.kind) {
    case undefined:
      return readChoice(typed, choices) ?? typed
    case 'confirm': {
      const at = findLabel(choices, typed)
      if (YES.test(typed) || at === 0) return 'yes'
      return NO.test(typed) || at === 1 ? 'no' : undefined
    }
    case 'choose': {
      const { items } = form
      const item = items.find(({ id }) => id === text) ?? items[findPlace(typed, choices)]
      return item?.id
    }
    case 'text':
      return form.secret ? text : typed
    case 'edit':
      return text
  }
}

/** `2` stands for the second choice; everything else is what it says. */
function readChoice(typed: string, choices: readonly string[]): string | undefined {
  return choices.includes(typed) || !/^[1-9]$/.test(typed) ? undefined : choices[Number(typed) - 1]
}

/** The place that a label or a number names; -1 for neither. */
function findPlace(typed: string, labels: readonly string[]): number {
  const at = findLabel(labels, typed)
  return at < 0 && /^[1-9]\d{0,4}$/.test(typed) ? Number(typed) - 1 : at
}

function findLabel(labels: readonly string[], typed: string): number {
  const exact = labels.indexOf(typed)
  return exact >= 0 ? exact : labels.findIndex((label) => label.toLowerCase() === typed.toLowerCase())
}
