/** What newcomers read: what was found, and how to connect a model. One sentence a line. */
import type { ModelInfo } from 'svc/sdk/provider'
import type { ProviderStatus } from './probe-providers.ts'

/** Names shown of a long list of models. */
const MAX_SHOWN = 12

/** The demo answers: short, because it is read above an answer. `missingNotes` has the rest. */
export function demoNotes(seen: readonly ProviderStatus[]): readonly string[] {
  return [
    'No model is connected: a scripted demo answers.',
    'To connect a model, type `/connect` in the full-screen interface. In a shell, `svc doctor` lists the commands that connect one.',
    ...unusedKeys(seen),
  ]
}

/** The notice without a model server: exactly three lines. */
export function missingNotes(seen: readonly ProviderStatus[]): readonly string[] {
  const looked = seen
    .filter(({ ready, local, provider }) => ready || local || provider.name === 'openai')
    .map(({ provider, detail }) => `${provider.label} (${detail})`)
    .join(', ')
  return [
    `No model is connected. Looked for: ${looked}.`,
    'Connect a local or any compatible server: `svc config set model.provider custom`, `svc config set model.base_url http://host:port/v1`, `svc config set model.default <model>`.',
    `Connect OpenAI: ${openAiSteps(seen)}.`,
  ]
}

/** A server of this machine was taken without being asked for. */
export function foundNotes(
  { provider, detail }: ProviderStatus,
  model: string,
  seen: readonly ProviderStatus[],
): readonly string[] {
  return [
    `${provider.label} was found (${detail}); ${model} answers.`,
    `Keep it with \`svc config set model.provider ${provider.name}\` and \`svc config set model.default ${model}\`.`,
    ...unusedKeys(seen),
  ]
}

/** The first of a list, and how many are left. */
export function modelList(models: readonly ModelInfo[]): string {
  const names = models.slice(0, MAX_SHOWN).map(({ id }) => id)
  return models.length > MAX_SHOWN ? `${names.join(', ')} and ${models.length - MAX_SHOWN} more` : names.join(', ')
}

function unusedKeys(seen: readonly ProviderStatus[]): readonly string[] {
  return seen
    .filter(({ ready, local }) => ready && !local)
    .map(
      ({ provider, detail }) =>
        `${detail}, but it is not used until \`svc config set model.provider ${provider.name}\`.`,
    )
}

function openAiSteps(seen: readonly ProviderStatus[]): string {
  const openai = seen.find(({ provider }) => provider.name === 'openai')
  const [variable] = openai?.provider.auth?.keyNames ?? []
  const steps = ['`svc config set model.provider openai`', '`svc config set model.default <model>`']
  if (openai?.ready) return `your key is not used until ${steps.join(' and ')}`
  return [...(variable === undefined ? [] : [`\`svc config set ${variable} <key>\``]), ...steps].join(', ')
}
