/**
 * The fourteen stages of the first launch, as data. Names and order are those of the interface this program is compatible with,
 * except where a stage was about Python: the package manager, the runtime, the launcher and the native modules of a Node program
 * stand there.
 */
import { z } from 'zod'

export const STAGE_CATEGORIES = ['prereqs', 'install', 'finalize', 'post-install'] as const

const stage = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
  title: z.string(),
  category: z.string(),
  needs_user_input: z.boolean(),
})
export type BootstrapStage = z.infer<typeof stage>

/** What a program says of its stages; each name once. */
export const manifestSchema = z.object({
  protocol_version: z.literal(1),
  stages: z
    .array(stage)
    .min(1)
    .max(100)
    .refine((stages) => new Set(stages.map(({ name }) => name)).size === stages.length, 'a name is there twice'),
})
export type BootstrapManifest = z.infer<typeof manifestSchema>

/** What a stage says of itself, in its last line. */
export const resultSchema = z.object({
  stage: z.string(),
  ok: z.boolean(),
  skipped: z.boolean(),
  /** Why it was skipped or failed, for people. */
  reason: z.string().nullable(),
  duration_ms: z.number(),
})
export type StageResult = z.infer<typeof resultSchema>

export const STAGES = [
  { name: 'package-manager', title: 'Package manager', category: 'prereqs', needs_user_input: false },
  { name: 'runtime', title: 'Runtime of this program', category: 'prereqs', needs_user_input: false },
  { name: 'git', title: 'Git', category: 'prereqs', needs_user_input: false },
  { name: 'node', title: 'Node.js for tool servers', category: 'prereqs', needs_user_input: false },
  { name: 'system-packages', title: 'Search and media programs', category: 'prereqs', needs_user_input: false },
  { name: 'repository', title: 'Program files', category: 'install', needs_user_input: false },
  { name: 'launcher', title: 'Launcher', category: 'install', needs_user_input: false },
  { name: 'dependencies', title: 'Libraries', category: 'install', needs_user_input: false },
  { name: 'native-modules', title: 'Native libraries', category: 'install', needs_user_input: false },
  { name: 'path', title: 'Command on the path', category: 'finalize', needs_user_input: false },
  { name: 'config-templates', title: 'Settings and skills', category: 'finalize', needs_user_input: false },
  { name: 'platform-sdks', title: 'Chat platforms', category: 'finalize', needs_user_input: false },
  { name: 'configure', title: 'Model and keys', category: 'post-install', needs_user_input: true },
  { name: 'gateway', title: 'Background service', category: 'post-install', needs_user_input: true },
] as const satisfies readonly BootstrapStage[]

export type StageName = (typeof STAGES)[number]['name']

export const MANIFEST: BootstrapManifest = { protocol_version: 1, stages: [...STAGES] }
