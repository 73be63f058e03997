/** Versions from a registry, by the program npm, which knows the registry, proxy and key of the user. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError, tryParseJson } from 'svc/sdk'
import { z } from 'zod'
import type { UpdateSource } from './source.ts'
import { runTool } from './tool.ts'

const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
/** What npm was told by the command that started svc, if it was one of npm. */
const env = { npm_config_global: undefined, npm_config_prefix: undefined }
const tagsSchema = z.record(z.string(), z.string())

/** The registry's answer: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
export const npmSource: UpdateSource = {
  async find({ installation, run, followed }, typed) {
    const { name, version, base } = installation
    const branch = typed ?? followed
    const said = await runTool('npm', ['view', name, 'dist-tags', '--json', ...quiet], run, { cwd: base, env })
    const tags = tagsSchema.safeParse(tryParseJson(said)?.value).data ?? {}
    const found = tags[branch ?? 'latest']
    const { default: semver } = await import('semver')
    if (found === undefined || semver.valid(found) === null) {
      const known = Object.keys(tags).join(', ') || 'none'
      const message = `The registry has no dist-tag ${branch ?? 'latest'} of ${name}. Known: ${known}.`
      throw new SvcError('UPDATE_SOURCE', message, { status: 404 })
    }
    // A tag that is typed may lead to an older version.
    const isNewer = typed === undefined ? semver.gt(found, version) : found !== version
    return { id: found, title: found, branch, isNewer }
  },
  async place({ installation, run }, { id }, dir) {
    // Without it npm would look for a project in the folders above.
    writeFileSync(join(dir, 'package.json'), '{"private":true}\n')
    const words = ['install', '--omit=dev', '--save-exact', ...quiet, `${installation.name}@${id}`]
    await runTool('npm', words, run, { cwd: dir, env })
    return join(dir, 'node_modules', installation.name)
  },
}
