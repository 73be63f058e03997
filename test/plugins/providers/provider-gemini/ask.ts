/** The provider `gemini` of the real plugin, in the real kernel, before a fake service. */
import { type ModelProvider, Providers } from 'svc/sdk/provider'
import { type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { type GeminiServerOptions, startGeminiServer } from '../../../support/gemini-server.ts'
import type { SseService } from '../../../support/sse-service.ts'

/** A service that is closed with the test. */
export async function serve(options: GeminiServerOptions = {}): Promise<SseService> {
  const server = await startGeminiServer(options)
  onTestFinished(() => server.close())
  return server
}

/** A kernel with the plugin, stopped with the test. Its time stands still: a busy machine runs into no limit. */
export async function open(options: Parameters<typeof testKernel>[0] = {}): Promise<TestKernel> {
  const kernel = await testKernel({
    plugins: ['provider-gemini'],
    clock: virtualClock(),
    env: { GOOGLE_API_KEY: 'gemini-key' },
    ...options,
  })
  onTestFinished(() => kernel.stop())
  return kernel
}

/** The provider of a kernel. */
export function provider(kernel: TestKernel): ModelProvider {
  const found = kernel.all(Providers).get('gemini')
  if (!found) throw new Error(`no provider: ${JSON.stringify(kernel.problems())}`)
  return found
}

/** The provider, pointed at a service. */
export async function at(url: string, options: Parameters<typeof testKernel>[0] = {}): Promise<ModelProvider> {
  return provider(await open({ config: { providers: { gemini: { base_url: url } } }, ...options }))
}
