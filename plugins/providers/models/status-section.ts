/** Which model answers, for `svc status`. */
import { errorMessage, type Models } from 'svc/sdk'
import type { StatusLine } from 'svc/sdk/operations'

export async function readModelStatus(models: Pick<Models, 'choose'>): Promise<readonly StatusLine[]> {
  try {
    const { provider, model } = await models.choose({ withoutDemo: true })
    return [{ label: 'Answers', text: `${model} of ${provider.name}` }]
  } catch (error) {
    const [text = ''] = errorMessage(error).split('\n')
    return [{ label: 'Answers', text, state: 'problem', fix: 'svc setup model' }]
  }
}
