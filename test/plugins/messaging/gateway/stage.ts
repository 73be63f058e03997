/** Where stories of the gateway happen: a kernel with the gateway, a chat platform in memory, and a scripted model. */
import type { SlashCommand } from 'svc/sdk'
import { SlashCommands } from 'svc/sdk'
import { Gateway, Outbox } from 'svc/sdk/platform'
import { fakePlatform, fakeProvider, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'

type Script = Parameters<typeof fakeProvider>[0]
type KernelOptions = NonNullable<Parameters<typeof testKernel>[0]>

/** What a story begins with. */
export interface StageOptions extends Pick<KernelOptions, 'clock' | 'home' | 'env'> {
  readonly platform?: Parameters<typeof fakePlatform>[0]
  readonly config?: Record<string, unknown>
  readonly plugins?: readonly string[]
  readonly commands?: readonly SlashCommand[]
  readonly with?: KernelOptions['with']
}

/** A gateway that has started. */
export async function stage(script: Script, options: StageOptions = {}) {
  const { platform, config = {}, plugins = [], commands = [], with: more = [], ...kernelOptions } = options
  const fake = fakePlatform(platform)
  const model = fakeProvider(script)
  const own = {
    name: 'story',
    contributes: { 'slash-commands': commands.map(({ name }) => name) },
    setup: (ctx: { add(point: typeof SlashCommands, item: SlashCommand): unknown }) => {
      for (const command of commands) ctx.add(SlashCommands, command)
    },
  }
  const kernel = await testKernel({
    plugins: ['gateway', 'session-commands', ...plugins],
    with: [fake.plugin, model.plugin, own as never, ...more],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...config },
    ...kernelOptions,
  })
  onTestFinished(() => kernel.stop())
  const gateway = kernel.use(Gateway)
  await gateway.start()
  return {
    kernel,
    gateway,
    fake,
    model,
    outbox: kernel.use(Outbox),
    said: () => fake.sent.map(({ text }) => text),
    status: () => gateway.status().platforms.find(({ name }) => name === 'fake'),
  }
}
