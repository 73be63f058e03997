import { Agent, Sessions } from 'svc/sdk'
import { fakeProvider, testKernel } from 'svc/sdk/testing'

const model = fakeProvider(['It is fine.'])
await using kernel = await testKernel({
  plugins: ['agent'],
  with: [model.plugin],
  config: { model: { provider: 'fake', default: 'fake-1' } },
})
const { id } = kernel.use(Sessions).create()
export const outcome = await kernel.use(Agent).run({ sessionId: id, text: 'How is the weather?' })
