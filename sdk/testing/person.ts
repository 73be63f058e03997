/** A person who answers as the test says, for what asks one without a kernel: a tool, a listener. */
import type { Person } from '../person.ts'
import type { FakePerson } from './front.ts'

/**
 * What is left out of `answers` has no answer; without any, no person can be reached. `said` is what was shown.
 * @since 0.2
 */
export function fakePerson(
  answers: Pick<FakePerson, 'confirm' | 'choose' | 'ask' | 'edit'> = {},
): Person & { readonly said: readonly string[]; readonly asked: readonly string[] } {
  const said: string[] = []
  const asked: string[] = []
  const answer = <T>(question: string, given: T): Promise<T> => {
    asked.push(question)
    return Promise.resolve(given)
  }
  return {
    said,
    asked,
    isReachable: Object.values(answers).some((each) => each !== undefined),
    confirm: (question) => answer(question, answers.confirm),
    choose: (...[asked]) => answer(typeof asked === 'string' ? asked : asked.title, answers.choose),
    ask: (question) => answer(question, answers.ask),
    edit: (title) => answer(title, answers.edit),
    say: (text) => void said.push(text),
  }
}
