/** A model that its provider serves no longer: the turn ends at once and names a model that could take its place. */
import { Agent, Sessions, type TurnEvent } from 'svc/sdk'
import type { ModelFailure } from 'svc/sdk/provider'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type ModelServerOptions, startModelServer } from '../../../support/model-server.ts'

async function ask(options: ModelServerOptions) {
  // The words are those of Groq's page on deprecated models.
  const message = 'The model `llama-3.1-70b-versatile` has been decommissioned and is no longer supported.'
  const fault = { status: 400, code: 'model_decommissioned', type: 'invalid_request_error', message }
  const server = await startModelServer({ replies: () => ({ fault }), ...options })
  onTestFinished(() => server.close())
  const model = { provider: 'custom', base_url: server.url, default: 'llama-3.1-70b-versatile' }
  const kernel = await testKernel({ plugins: ['agent', 'provider-openai'], config: { model } })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const events: TurnEvent[] = []
  for await (const event of kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
    events.push(event)
  const failures = events.flatMap((event): ModelFailure[] =>
    event.type === 'model.end' && event.failure ? [event.failure] : [],
  )
  return { server, failures }
}

test('the failure names a model that is served and how to choose it; nothing is asked again', async () => {
  const { server, failures } = await ask({ models: ['llama-3.3-70b-versatile', 'gemma-3-27b'] })
  expect(server.requests).toHaveLength(1)
  expect(failures).toHaveLength(1)
  expect(failures[0]?.message).toContain(
    'It serves "llama-3.3-70b-versatile": `svc model set custom llama-3.3-70b-versatile`',
  )
})

test('no name is invented where no served model is like it, or the server does not list any', async () => {
  for (const options of [{ models: ['gemma-3-27b'] }, { lists: false } as const]) {
    const { failures } = await ask(options)
    expect(failures[0]?.message).toMatch(/^.+ has no model "llama-3\.1-70b-versatile": .+svc config set model\.default/)
    expect(failures[0]?.message).not.toContain('It serves')
  }
})
