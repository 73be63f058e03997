/**
 * Skills: folders with a SKILL.md that tell the agent how to do a piece of work, in the format of https://agentskills.io/specification.
 * The model reads names and descriptions first, the text of a skill when it needs it, and files of its folder after that.
 */

import type { Conversation } from './conversations.ts'
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { Registration } from './plugin.ts'

/**
 * Where a skill comes from. `builtin`: with the program; `user`: written by the user or, in `SVC_HOME/skills`, by the agent;
 * `hub`: installed from elsewhere; `plugin`: from the folder of a plugin; `project`: from the folder of a project.
 * @since 0.2
 */
export type SkillOrigin = 'builtin' | 'user' | 'hub' | 'plugin' | 'project'

/**
 * How much its author is trusted. `builtin`: the program's own; `user`: the owner of the home; `trusted`: a source that is known for
 * care; `model`: the model wrote it; `community`: all others.
 * @since 0.2
 */
export type SkillTrust = 'builtin' | 'user' | 'trusted' | 'model' | 'community'

/** What a `SkillOriginRecord` knows of a skill. @since 0.2 */
export interface SkillProvenance {
  readonly origin: SkillOrigin
  readonly trust: SkillTrust
  /** For people: `github:owner/repository/path`, an address, the name of a plugin. */
  readonly source?: string
}

/** When a skill is offered; without any of these it always is. Names are those of toolsets and tools. @since 0.2 */
export interface SkillConditions {
  readonly platforms?: readonly ('macos' | 'linux' | 'windows')[]
  /** It is offered in one of these alone, such as `docker`: a container. Empty: in one that is not known. */
  readonly environments?: readonly string[]
  /** All of them have to be there. */
  readonly requiresToolsets?: readonly string[]
  readonly requiresTools?: readonly string[]
  /** It stands in for these: it is not offered when one of them is there. */
  readonly fallbackForToolsets?: readonly string[]
  readonly fallbackForTools?: readonly string[]
}

/** An environment variable that a skill reads. @since 0.2 */
export interface SkillVariable {
  readonly name: string
  /** What to ask the user. */
  readonly prompt?: string
  /** Where to get a value. */
  readonly help?: string
  readonly optional?: boolean
}

/** A setting of a skill, kept at `skills.config.<key>`. @since 0.2 */
export interface SkillConfigKey {
  readonly key: string
  readonly description: string
  readonly default?: string
}

/** What SKILL.md says of its skill. @since 0.2 */
export interface SkillHeader {
  /** Lower-case letters, digits and single hyphens, at most 64 characters. */
  readonly name: string
  /** What it does and when to use it; at most 1,024 characters, in one line. */
  readonly description: string
  readonly version?: string
  readonly license?: string
  /** What it needs, as its author wrote it. */
  readonly compatibility?: string
  readonly tags: readonly string[]
  readonly relatedSkills: readonly string[]
  readonly conditions: SkillConditions
  readonly variables: readonly SkillVariable[]
  /** Programs that have to be installed. */
  readonly commands: readonly string[]
  /** Files with keys or tokens that it reads: absolute, below `~`, or below `SVC_HOME`. */
  readonly credentialFiles: readonly string[]
  readonly settings: readonly SkillConfigKey[]
  /**
   * Entries of `metadata.svc` that no other field holds, as their author wrote them, for plugins that know them: plain data of others, to be
   * checked by the reader. At most 16,000 characters as JSON; left out where there are no more entries.
   */
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** A skill of the list. @since 0.2 */
export interface Skill extends SkillHeader, SkillProvenance {
  /** The folder it is sorted into below its root: `research`. None for a skill that is not in one. */
  readonly category?: string
  /** Absolute path of its folder. */
  readonly folder: string
  /** Switched off by `skills.disabled` or `skills.platform_disabled`. */
  readonly isDisabled: boolean
  /** Why it is not offered here, as a phrase: `only for macos`. */
  readonly unavailable?: string
}

/** A file of a skill. `path` is relative to its folder, with slashes. @since 0.2 */
export interface SkillFile {
  readonly path: string
  readonly bytes: number
}

/** A folder that was read and can be used as a skill. @since 0.2 */
export interface SkillFolder {
  readonly header: SkillHeader
  /** The text behind the front matter. */
  readonly body: string
  /** All files, SKILL.md included, by their paths. */
  readonly files: readonly SkillFile[]
  /** `sha256:` and 64 hexadecimal digits over the paths and contents of all files. */
  readonly hash: string
  /** What its author should mend, such as a name that differs from the folder's; it can be used nevertheless. */
  readonly warnings: readonly string[]
}

/** Something in a folder of skills that cannot be used. @since 0.2 */
export interface SkillProblem {
  readonly folder: string
  readonly reason: string
}

/** For whom skills are listed. @since 0.2 */
export interface SkillQuery {
  /** The front end or platform, for `skills.platform_disabled`: `cli`, `telegram`. */
  readonly surface?: string
  /** Where the session works: skills of its project are listed as far as a person agreed to them. Left out: none of a project. */
  readonly cwd?: string
  /** The tools that there are; left out: conditions about tools are taken as met. */
  readonly tools?: readonly string[]
}

/** A skill as a model or a person reads it. @since 0.2 */
export interface SkillText {
  readonly skill: Skill
  /** Relative to the folder: `SKILL.md`, `references/api.md`. */
  readonly path: string
  readonly text: string
  /** The other files. */
  readonly files: readonly SkillFile[]
  /** Variables that are required and not set, and programs that are not found. */
  readonly missing: readonly string[]
}

/** Skills put together for a model. @since 0.2 */
export interface LoadedSkills {
  /** To stand before what the user wants; empty when none was found. */
  readonly text: string
  readonly loaded: readonly Skill[]
  /** Names that no skill has, or whose skill is switched off or not for this machine. */
  readonly missing: readonly string[]
}

/** What a new scan found. @since 0.2 */
export interface SkillChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  readonly total: number
}

/** Provided by the plugin `skills`. @since 0.2 */
export interface Skills {
  /**
   * All skills by name, disabled and unavailable ones included. Of several with one name the first counts: those of the
   * user's home, the folders of `skills.external_dirs`, plugins, the project of `cwd`.
   * Cheap: folders are read again only where they changed.
   */
  list(query?: SkillQuery): Promise<readonly Skill[]>
  /** The skill of that name, or undefined. */
  find(name: string, query?: SkillQuery): Promise<Skill | undefined>
  /**
   * The text of a skill with its edits and substitutions, or of another of its files. Throws `SKILL_NOT_FOUND` for a skill or file
   * that is not there, `SKILL_INVALID` for a path that leads out of the folder and for a file that is not text or too large, and
   * `SKILL_NOT_AGREED` for a skill of a project that changed since a person agreed to it.
   */
  read(name: string, options?: SkillQuery & { readonly path?: string; readonly sessionId?: string }): Promise<SkillText>
  /** The texts of several skills as one message. Does not throw for what is missing. */
  load(
    names: readonly string[],
    options?: SkillQuery & { readonly sessionId?: string; readonly instruction?: string },
  ): Promise<LoadedSkills>
  /**
   * Sends a message in a conversation: people see `line`, the model reads the skills and then `task`. What was loaded is returned, and
   * nothing is sent where no skill was found.
   */
  send(
    conversation: Conversation,
    message: {
      readonly names: readonly string[]
      readonly line: string
      readonly task: string
      readonly instruction?: string
    },
  ): Promise<LoadedSkills>
  /**
   * Reads a folder that need not be among the skills: before it is installed, or to compare it. Throws `SKILL_INVALID` with all that
   * is wrong: no SKILL.md, front matter that is not YAML, a name or description outside its limits, links that lead out of it, more
   * than 1,000 files or 10 MiB.
   */
  inspect(folder: string, options?: { readonly signal?: AbortSignal }): Promise<SkillFolder>
  /** What was found and cannot be used. */
  problems(query?: SkillQuery): Promise<readonly SkillProblem[]>
  /** Scans all folders again, now. To be called after skills were installed, changed or removed. */
  reload(): Promise<SkillChanges>
  /** Calls the listener when skills were added, changed or removed. */
  onChange(listener: (changes: SkillChanges) => void): Registration
}
/** @since 0.2 */
export const Skills: Service<Skills> = defineService('skills', { registers: ['onChange'] })

/** A folder of skills, contributed to `SkillDirs`: `<category>/<skill>/SKILL.md` or `<skill>/SKILL.md` in it. @since 0.2 */
export interface SkillDir extends Ordered {
  readonly name: string
  /** Absolute. A folder that does not exist is empty. */
  readonly path: string
  /** Left out: `community`. */
  readonly trust?: SkillTrust
}
/** @since 0.2 */
export const SkillDirs: ExtensionPoint<SkillDir> = extensionPoint('skill-dirs', (dir) => dir.name, undefined, {
  problem: checkMembers({ name: 'string', path: 'string', trust: 'string?' }),
  acceptsLate: true,
})

/** Knows how skills came into `SVC_HOME/skills`. Contributed to `SkillOrigins` by whatever puts them there. @since 0.2 */
export interface SkillOriginRecord extends Ordered {
  readonly name: string
  /**
   * What is known of the skill; undefined for one that is not from here, which is the user's then. Called for each skill at each scan,
   * so it keeps its records in memory and reads them again only when their file changed. `folder` is absolute.
   */
  find(skill: { readonly name: string; readonly folder: string }): SkillProvenance | undefined
}
/** @since 0.2 */
export const SkillOrigins: ExtensionPoint<SkillOriginRecord> = extensionPoint(
  'skill-origins',
  (record) => record.name,
  undefined,
  { problem: checkMembers({ name: 'string', find: 'function' }) },
)

/** The skills that come with svc and are copied into each home. Provided by the plugin that copies them. @since 0.2 */
export interface BuiltInSkills {
  /**
   * No built-in skill is copied into this home from now on; those that are there stay. `home` is the absolute path of any home: it may be
   * one that is being made. Rejects with the error of the system.
   */
  optOut(home: string): Promise<void>
}
/** @since 0.2 */
export const BuiltInSkills: Service<BuiltInSkills> = defineService('built-in-skills')

/** In ascending order. @since 0.2 */
export const SKILL_SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
/** @since 0.2 */
export type SkillSeverity = (typeof SKILL_SEVERITIES)[number]

/** Something in a skill that may do harm. @since 0.2 */
export interface SkillFinding {
  /** Stable id of the rule: `download-and-run`. */
  readonly rule: string
  /** What kind of harm: `exfiltration`, `injection`, `obfuscation`, ... */
  readonly category: string
  readonly severity: SkillSeverity
  /** Relative to the folder. */
  readonly path: string
  /** From 1. */
  readonly line?: number
  /** The place, shortened, without control characters. */
  readonly excerpt?: string
  /** A sentence for people. */
  readonly message: string
}

/** Result of a scan. @since 0.2 */
export interface SkillScan {
  /** `dangerous`: a critical finding; `caution`: a high one. */
  readonly verdict: 'safe' | 'caution' | 'dangerous'
  /** The most severe first. */
  readonly findings: readonly SkillFinding[]
  /** As `SkillFolder.hash`: what was scanned. */
  readonly hash: string
}

/** Looks for harm in the files of a skill without running them. Its provider is loaded by what installs skills. @since 0.2 */
export interface SkillScanner {
  /** Does not throw for anything that is in the folder: what cannot be read is a finding. */
  scan(folder: string, options?: { readonly signal?: AbortSignal }): Promise<SkillScan>
}
/** @since 0.2 */
export const SkillScanner: Service<SkillScanner> = defineService('skill-scanner')
