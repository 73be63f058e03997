/** What a new profile has from its beginning: its model, and who the agent is there. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { Plugins, YamlEditor } from 'svc/sdk/host'
import { writeAtomically } from 'svc/sdk/kit/files'
import type { Context } from './profile-folders.ts'

export interface FirstSettings {
  readonly provider?: string | undefined
  readonly model?: string | undefined
  /** The text of SOUL.md; left out or empty: that of a copy stays. */
  readonly soul?: string | undefined
}

/** Writes them into the folder of a profile that is being made. Throws `PROFILE_MODEL`. */
export async function writeFirstSettings(ctx: Context, dir: string, given: FirstSettings): Promise<void> {
  const { provider, model, soul = '' } = given
  if (soul.trim() !== '') await writeAtomically(join(dir, 'SOUL.md'), `${soul.trimEnd()}\n`)
  if (model === undefined && provider === undefined) return
  const file = join(dir, 'config.yaml')
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const changes = [
    ...(provider === undefined ? [] : [{ path: ['model', 'provider'], value: provider }]),
    ...(model === undefined ? [] : [{ path: ['model', 'default'], value: model }]),
  ]
  const yaml = await ctx.use(Plugins).bring(YamlEditor)
  if (!yaml) throw new SvcError('PROFILE_MODEL', 'The plugin that edits YAML does not run.', { status: 503 })
  const text = await yaml.edit(before, changes).catch((cause: unknown) => {
    const message = 'The config.yaml that would be copied cannot take a model. Correct it, or choose the model later.'
    throw new SvcError('PROFILE_MODEL', message, { status: 409, cause })
  })
  await writeAtomically(file, text)
}
