/** Which model answers, for `svc status`. */
import { errorMessage, type Logger, logFault, type Models } from 'svc/sdk'
import type { StatusLine } from 'svc/sdk/operations'

export async function readModelStatus(models: Pick<Models, 'choose'>, log: Logger): Promise<readonly StatusLine[]> {
  try {
    const { provider, model } = await models.choose({ withoutDemo: true })
    return [{ label: 'Answers', text: `${model} of ${provider.name}` }]
  } catch (error) {
    logFault(log, 'no model could be chosen', error)
    const [text = ''] = errorMessage(error).split('\n')
    return [{ label: 'Answers', text, state: 'problem', fix: 'svc setup model' }]
  }
}
