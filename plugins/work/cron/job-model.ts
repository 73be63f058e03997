/** Jobs without a model of their own stop when another one would run them than when they were made: it may cost more, or do worse. */
import type { Config } from 'svc/sdk'
import type { JobSettings, ScheduledJob } from 'svc/sdk/jobs'

/** The model of the configuration as `provider/model`; undefined where it names none. */
export function readModel(config: Pick<Config, 'get'>): string | undefined {
  const parts = [config.get('model.provider'), config.get('model.default')]
  const words = parts.filter((part): part is string => typeof part === 'string' && part !== '')
  return words.length === 0 ? undefined : words.join('/').slice(0, 200)
}

/** The settings of a job that is made or changed now. */
export function withModel(settings: JobSettings, model: string | undefined): JobSettings {
  const { madeForModel: _, ...rest } = settings
  const isOwn = settings.model !== undefined || settings.provider !== undefined || settings.isScriptOnly
  return isOwn || model === undefined ? rest : { ...rest, madeForModel: model }
}

/** Why it does not run, as a sentence with what to do; undefined while the model is the same. */
export function readDrift({ id, madeForModel }: ScheduledJob, model: string | undefined): string | undefined {
  if (madeForModel === undefined || model === madeForModel) return undefined
  return `It was made for ${madeForModel}, and the configuration names ${model ?? 'no model'} now. To use that one: svc cron resume ${id}. To keep the old one: svc cron edit ${id} --model <model>`
}
