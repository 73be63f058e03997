/** What holds before anybody has configured anything. */

/** The tools of a surface: only some, or all but some. Toolsets and tools by name. */
export interface SurfaceLimit {
  readonly only?: readonly string[]
  readonly without?: readonly string[]
}

/** Surfaces that go without some tools; every other one has all of them. */
export const SURFACES: Readonly<Record<string, SurfaceLimit>> = {
  /** Whoever calls an API waits for an answer, not for a question. */
  api: { without: ['clarify', 'messaging'] },
  /** Nobody watches a scheduled run, and none may plan further ones. */
  cron: { without: ['clarify', 'cronjob', 'messaging'] },
  /** Anybody may have written what a webhook carries: it reads, and changes nothing. */
  webhook: { only: ['web_search', 'web_extract', 'vision_analyze', 'clarify'] },
}

/** Toolsets that are off until they are named in `tools.enabled`. */
export const OFF_UNLESS_NAMED: readonly string[] = [
  'discord',
  'discord_admin',
  'homeassistant',
  'spotify',
  'video',
  'video_gen',
  'x_search',
]
