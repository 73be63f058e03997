/** Whether a model would answer: for `svc doctor`. Asks for the list of models, which costs nothing. */
import { errorMessage, type Logger, logFault, type Models } from 'svc/sdk'
import type { HealthCheck, HealthFinding } from 'svc/sdk/host'
import type { ModelInfo } from 'svc/sdk/provider'

export function modelCheck(
  models: () => Pick<Models, 'choose'>,
  list: (provider: string) => Promise<readonly ModelInfo[]>,
  log: Logger,
): HealthCheck {
  return {
    name: 'model',
    title: 'Model',
    order: 20,
    async check() {
      try {
        const { provider, model } = await models().choose({ withoutDemo: true })
        return [await answers(provider.name, model, list, log)]
      } catch (error) {
        logFault(log, 'no model could be chosen', error)
        const [text = '', ...steps] = errorMessage(error).split('\n')
        return [{ state: 'problem', text, fix: steps.join('\n') || 'svc model list' }]
      }
    },
  }
}

async function answers(
  provider: string,
  model: string,
  list: (provider: string) => Promise<readonly ModelInfo[]>,
  log: Logger,
): Promise<HealthFinding> {
  try {
    const served = await list(provider)
    if (served.length === 0 || served.some(({ id }) => id === model))
      return { state: 'ok', text: `${model} of ${provider} answers.` }
    const names = served.slice(0, 5).map(({ id }) => id)
    const text = `${provider} does not list the model ${model}. It lists ${names.join(', ')}${served.length > names.length ? ', ...' : ''}.`
    return { state: 'warning', text, fix: `svc model set ${provider} ${names[0]}` }
  } catch (error) {
    logFault(log, `the provider ${provider} failed`, error)
    const text = `${provider} did not answer: ${errorMessage(error)}`
    return { state: 'problem', text, fix: `svc model test --provider ${provider} --model ${model}` }
  }
}
