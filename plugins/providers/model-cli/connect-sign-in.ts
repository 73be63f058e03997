/** `/connect <provider>` where a person signs in: the ways of `SignInFlows`, with its steps in the conversation. */
import { errorMessage, logFault, Models } from 'svc/sdk'
import { abortable } from 'svc/sdk/kit/async'
import { Credentials, type ModelProvider, type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import type { SignInPerson, SignInStep } from 'svc/sdk/sign-in'
import type { Connection, Dialogue } from './dialogue.ts'
import { createConnection, findModel } from './find-model.ts'

const KEY = 'key'

/** Ways in which a person can sign in to the provider. */
export function listFlows({ ctx }: Dialogue, { name }: ModelProvider): readonly SignInFlow[] {
  return ctx
    .all(SignInFlows)
    .all()
    .filter(({ provider, type }) => provider === name && type !== 'cloud-identity')
}

/** The way that the person chooses; `key`: to type one; undefined: they left. */
export async function chooseWay(
  { asking, at, t }: Dialogue,
  provider: ModelProvider,
  flows: readonly SignInFlow[],
): Promise<SignInFlow | 'key' | undefined> {
  const takesKey = provider.auth?.type === 'api-key'
  const items = [
    ...(takesKey ? [{ id: KEY, label: t('Enter an API key') }] : []),
    ...flows.map(({ name, label }) => ({ id: name, label })),
  ]
  if (items.length === 1) return takesKey ? KEY : flows[0]
  const id = await asking.choose(
    { title: t('How to connect {provider}', { provider: provider.label }), items },
    at.signal,
  )
  return id === KEY ? KEY : flows.find(({ name }) => name === id)
}

/** Signs in, keeps what that left, and finds a model. */
export async function connectBySignIn(
  dialogue: Dialogue,
  provider: ModelProvider,
  flow: SignInFlow,
): Promise<Connection> {
  const { ctx, at, t } = dialogue
  const left = new AbortController()
  try {
    const signal = AbortSignal.any([at.signal, left.signal])
    const person = createPerson(dialogue, () => left.abort(new Error('The person left.')), signal)
    const signedIn = await abortable(flow.signIn(person, signal), signal)
    const kept = { provider: provider.name, key: signedIn.accessToken, flow: flow.name, signedIn }
    await ctx.find(Credentials)?.add(kept)
  } catch (error) {
    at.signal.throwIfAborted()
    if (left.signal.aborted) return undefined
    logFault(ctx.log, `the sign-in ${flow.name} did not work`, error)
    const values = { provider: provider.label, reason: errorMessage(error) }
    return { problem: t('The sign-in to {provider} did not work: {reason}', values) }
  } finally {
    // A menu that still waits is closed.
    left.abort()
  }
  const list = () => ctx.use(Models).list(provider.name)
  return createConnection(await findModel(dialogue, { provider, list, hasNewKey: false }), { label: provider.label, t })
}

function createPerson({ at, asking, t }: Dialogue, leave: () => void, signal: AbortSignal): SignInPerson {
  const { front } = at.conversation
  const say = (text: string) => front.say({ tone: 'info', text })
  return {
    say,
    ask: async (text, until) => asking.ask({ text }, until ? AbortSignal.any([until, signal]) : signal),
    show(step) {
      say(toText(step, t))
      if (step.kind === 'open-url') return
      const menu = { title: t('Waiting for the sign-in'), items: [{ id: 'cancel', label: t('Cancel') }] }
      asking.choose(menu, signal).then(
        () => {
          if (!signal.aborted) leave()
        },
        () => undefined,
      )
    },
  }
}

function toText(step: SignInStep, t: Dialogue['t']): string {
  switch (step.kind) {
    case 'open-url':
      return t('Open this address in a browser: {url}', { url: `<${step.url}>` })
    case 'show-code':
      return t('Open {url} in a browser and enter the code {code}', {
        url: `<${step.completeUrl ?? step.url}>`,
        code: `\`${step.code}\``,
      })
    case 'run-command':
      return t('Run {command} in a shell.', { command: `\`${step.command}\`` })
  }
}
