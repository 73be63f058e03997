/** Plugins hear of questions and their answers. */
import { type PluginContext, Questions, type UserQuestion } from 'svc/sdk'
import { QuestionAnswered, QuestionAsked } from 'svc/sdk/hooks'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

const question: UserQuestion = { id: 'q1', sessionId: 's1', text: 'Which one?', choices: ['a', 'b'] }

async function stage(answer: string | undefined) {
  const heard: unknown[] = []
  const clock = virtualClock()
  const listener = {
    name: 'listener',
    setup(ctx: PluginContext<undefined>) {
      ctx.on(QuestionAsked, ({ id }) => void heard.push({ asked: id }))
      ctx.on(QuestionAnswered, ({ question: { id }, ...rest }) => void heard.push({ answered: id, ...rest }))
    },
  }
  const kernel = await testKernel({ plugins: ['people'], with: [listener], clock })
  onTestFinished(() => kernel.stop())
  const ask = async () => (answer === undefined ? new Promise<undefined>(() => {}) : answer)
  kernel.use(Questions).connect({ name: 'screen', reaches: (id) => id === 's1', ask })
  return {
    heard,
    clock,
    ask: (more = {}) => kernel.use(Questions).ask({ ...question, ...more }, new AbortController().signal),
  }
}

test('a question is announced when it is shown, and its answer with the front end it came from', async () => {
  const { heard, ask } = await stage('b')
  expect(await ask()).toEqual({ text: 'b', by: 'screen' })
  await expect.poll(() => heard).toEqual([{ asked: 'q1' }, { answered: 'q1', text: 'b', by: 'screen' }])
})

test('a secret answer is not passed on', async () => {
  const { heard, ask } = await stage('hunter2')
  expect(await ask({ choices: [], form: { kind: 'text', secret: true } })).toMatchObject({ text: 'hunter2' })
  await expect.poll(() => heard.at(-1)).toEqual({ answered: 'q1', by: 'screen' })
})

test('a question whose time is over is announced as not answered; one that reaches no person is not announced', async () => {
  const { heard, ask, clock } = await stage(undefined)
  const asked = ask({ expiresAt: clock.now() + 1000 })
  await clock.advance(1000)
  expect(await asked).toBe('timeout')
  await expect.poll(() => heard.at(-1)).toEqual({ answered: 'q1', unanswered: 'timeout' })
  expect(await ask({ sessionId: 'other' })).toBe('nobody')
  expect(heard).toHaveLength(2)
})
