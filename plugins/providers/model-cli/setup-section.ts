/** The section `model` of `svc setup`: who answers, with which key, and which model. */
import type { PluginContext } from 'svc/sdk'
import type { SetupSection } from 'svc/sdk/operations'

export function createModelSection(ctx: PluginContext<undefined>): SetupSection {
  const questions = () => import('./setup-questions.ts')
  return {
    ...{ name: 'model', title: 'Model', order: 10 },
    description: 'Which service or server answers.',
    questions: async (answers) => (await questions()).listQuestions(ctx, answers),
    check: async (...given) => (await questions()).checkAnswer(ctx, ...given),
  }
}
