/** All sources, the most specific form of an identifier first. */
import type { Config } from '../config.ts'
import { githubSource } from './github.ts'
import { localSource } from './local.ts'
import type { SkillSource, SourceDeps } from './source.ts'
import { clawhubSource, indexSource, urlSource } from './web.ts'
import { wellKnownSource } from './well-known.ts'

export function createSources(
  config: Config,
  taps: () => readonly string[],
  net: Pick<SourceDeps, 'request' | 'token'>,
): readonly SkillSource[] {
  const deps: SourceDeps = { ...net, timeoutMs: config.timeout * 1000, trusted: config.trusted }
  const trim = (url: string) => url.replace(/\/+$/, '')
  const github = githubSource(deps, { api: trim(config.github_api_url), raw: trim(config.github_raw_url) }, taps)
  return [
    localSource(),
    indexSource(deps, trim(config.index_url), github),
    clawhubSource(deps, trim(config.clawhub_url)),
    urlSource(deps),
    wellKnownSource(deps),
    github,
  ]
}
