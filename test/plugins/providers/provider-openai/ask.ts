/** One call of a provider of the real plugin, in the real kernel. */
import { type ModelProvider, Providers } from 'svc/sdk/provider'
import { type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../../support/model-server.ts'

/** A server that is closed with the test. */
export async function serve(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer(options)
  onTestFinished(() => server.close())
  return server
}

/** A kernel with the plugin, stopped with the test. Its time stands still: a busy machine runs into no limit. */
export async function open(options: Parameters<typeof testKernel>[0] = {}): Promise<TestKernel> {
  const kernel = await testKernel({ plugins: ['provider-openai'], clock: virtualClock(), ...options })
  onTestFinished(() => kernel.stop())
  return kernel
}

/** A provider by its id. */
export function provider(kernel: TestKernel, id: string): ModelProvider {
  const found = kernel.all(Providers).get(id)
  if (!found) throw new Error(`no provider ${id}: ${JSON.stringify(kernel.problems())}`)
  return found
}

/** The provider `custom`, pointed at a server. */
export async function customAt(url: string, options: Parameters<typeof testKernel>[0] = {}): Promise<ModelProvider> {
  return provider(await open({ config: { model: { base_url: url } }, ...options }), 'custom')
}
