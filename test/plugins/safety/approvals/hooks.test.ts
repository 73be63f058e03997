/** Plugins hear how a request ended, once the answer is stored and before the tool runs. */
import { Approvals, type PluginContext } from 'svc/sdk'
import { ApprovalAnswered, ApprovalRequested } from 'svc/sdk/hooks'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { answering, start, turn } from './stage.ts'

function listener() {
  const heard: unknown[] = []
  return {
    heard,
    plugin: {
      name: 'listener',
      setup(ctx: PluginContext<undefined>) {
        ctx.on(ApprovalRequested, ({ id }) => void heard.push({ requested: id }))
        ctx.on(ApprovalAnswered, ({ request: { id, action }, ...rest }) => {
          const isOpen = ctx
            .use(Approvals)
            .pending()
            .some((request) => request.id === id)
          heard.push({ answered: id, action, isOpen, ...rest })
        })
      },
    },
  }
}

test('an answer is announced with the front end that gave it, after it is stored', async () => {
  const { heard, plugin } = listener()
  const { kernel, ran } = await start(['rm -r src', 'rm -r lib'], {}, {}, [plugin])
  onTestFinished(() => kernel.stop())
  const { asked } = answering(kernel, ['once', 'deny'])
  await turn(kernel)
  const [one, two] = asked.map(({ id }) => id)
  expect(ran).toEqual(['rm -r src'])
  await expect
    .poll(() => heard)
    .toEqual([
      { requested: one },
      { answered: one, action: 'rm -r src', isOpen: false, choice: 'once', by: 'test' },
      { requested: two },
      { answered: two, action: 'rm -r lib', isOpen: false, choice: 'deny', by: 'test' },
    ])
})

test('a request whose time is over is announced as denied by no person', async () => {
  const { heard, plugin } = listener()
  const clock = virtualClock()
  const { kernel } = await start(['rm -r src'], { timeout: 5 }, { clock }, [plugin])
  onTestFinished(() => kernel.stop())
  kernel.use(Approvals).connect({ name: 'mute', reaches: () => true, ask: () => new Promise(() => {}) })
  const done = turn(kernel)
  await vi.waitFor(() => expect(heard).toHaveLength(1))
  await clock.advance(5000)
  await done
  expect(heard.at(-1)).toMatchObject({ choice: 'deny', unanswered: 'timeout' })
})
