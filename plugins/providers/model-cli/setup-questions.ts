/** The questions of the section `model` of `svc setup`, and what is wrong with an answer. */
import { Config, errorMessage, logFault, type PluginContext, Secrets } from 'svc/sdk'
import type { SetupAnswers, SetupQuestion } from 'svc/sdk/operations'
import { type ModelProvider, ModelServers, Providers } from 'svc/sdk/provider'
import { isReachable } from './connect-server.ts'
import { keyVariable } from './server-key.ts'

type Context = PluginContext<undefined>

const AUTO = 'auto'
const CUSTOM = 'custom'
const DEMO = 'demo'
const TRIAL = 'setup'

export function listQuestions(ctx: Context, answers: SetupAnswers): readonly SetupQuestion[] {
  const provider = ctx.all(Providers).get(String(answers['provider'] ?? ''))
  const questions = [providerQuestion(ctx)]
  if (!provider || provider.name === DEMO) return questions
  return [...questions, ...accessQuestions(ctx, provider), modelQuestion(provider)]
}

function providerQuestion(ctx: Context): SetupQuestion {
  const providers = ctx.all(Providers).all()
  const options = [
    { value: AUTO, title: AUTO, note: 'the first that can be used' },
    ...providers.map(({ name, label }) => ({ value: name, title: label })),
  ]
  const current = String(ctx.use(Config).get('model.provider') ?? AUTO)
  return { key: 'provider', title: 'Who answers', kind: 'choice', options, path: 'model.provider', current }
}

function accessQuestions(ctx: Context, { name, label, auth }: ModelProvider): SetupQuestion[] {
  if (name === CUSTOM) {
    const variable = keyVariable(ctx, CUSTOM)
    const address: SetupQuestion = {
      ...{ key: 'address', title: 'Address of the server', kind: 'text', path: 'model.base_url' },
      help: 'Any server that speaks the chat completions protocol, such as http://localhost:8000/v1',
    }
    return variable === undefined ? [address] : [keyQuestion(ctx, variable, 'Its key, if it wants one', true), address]
  }
  const [variable] = auth?.type === 'api-key' ? (auth.keyNames ?? []) : []
  if (variable === undefined) return []
  const question = keyQuestion(ctx, variable, `API key of ${label}`, false)
  return [auth?.page === undefined ? question : { ...question, help: `Keys are made at ${auth.page}` }]
}

function keyQuestion(ctx: Context, path: string, title: string, isOptional: boolean): SetupQuestion {
  return { key: 'key', title, kind: 'secret', path, isOptional, isSet: ctx.use(Secrets).source(path) !== undefined }
}

function modelQuestion({ label, name }: ModelProvider): SetupQuestion {
  return {
    ...{ key: 'model', title: `Model of ${label}`, kind: 'text', path: 'model.default', isOptional: true },
    help: `svc model list ${name} shows those it serves. Empty: the provider's own choice.`,
  }
}

/** A server of the user's own is asked for its models; a key has no spaces. */
export async function checkAnswer(
  ctx: Context,
  { key }: SetupQuestion,
  answers: SetupAnswers,
  signal: AbortSignal,
): Promise<string | undefined> {
  const value = String(answers[key] ?? '')
  if (key === 'key') return /\s/.test(value) ? 'A key has no spaces and no line breaks. Copy it again.' : undefined
  return key === 'address' ? checkAddress(ctx, value, String(answers['key'] ?? ''), signal) : undefined
}

async function checkAddress(
  ctx: Context,
  baseUrl: string,
  trialKey: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) return 'An address begins with http:// or https://.'
  if (!(await isReachable(ctx, baseUrl, signal)))
    return `Nothing answers at ${baseUrl}. Start the server, or correct the address.`
  const server = { name: TRIAL, label: baseUrl, baseUrl, setting: 'model.base_url', ...(trialKey && { trialKey }) }
  try {
    await ctx.find(ModelServers)?.at(server).models(signal)
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    logFault(ctx.log, 'the server that was named in svc setup does not list its models', error)
    return `The server does not list its models: ${errorMessage(error)}. Go back with "<" to correct the key.`
  }
}
