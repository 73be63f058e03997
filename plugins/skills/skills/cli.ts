/** `svc skills list` and `svc skills view`. */
import { type CliArguments, type CliCommand, type CliContext, type CliOption, SvcError } from 'svc/sdk'
import { formatColumns, formatCount, paint, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { Skill, SkillProblem, Skills } from 'svc/sdk/skills'
import { isOffered } from './conditions.ts'

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const ORIGINS = ['builtin', 'user', 'hub', 'plugin', 'project']

/** What a skill needs that is not set up here: variables and programs. */
type FindMissing = (skill: Skill) => Promise<readonly string[]>

export function skillsCliCommand(skills: () => Skills, missing: FindMissing, more: readonly CliCommand[]): CliCommand {
  return {
    name: 'skills',
    description: 'Show the skills that the agent can use. Skills are folders with instructions in a SKILL.md.',
    subcommands: [
      {
        name: 'list',
        description: 'List the skills with their origin, and what cannot be used',
        options: [
          { flags: '--source <name>', description: `Only those of one origin: ${ORIGINS.join(', ')}` },
          { flags: '--enabled-only', description: 'Only those that are offered here' },
          json,
        ],
        examples: ['skills list', 'skills list --source hub --json'],
        run: (input, io) => listSkills(skills(), missing, input, io),
      },
      {
        name: 'view',
        description: 'Print a skill as the model reads it, or one of its files',
        arguments: '<name> [file]',
        options: [json],
        examples: ['skills view release-notes', 'skills view release-notes references/style.md'],
        run: (input, io) => viewSkill(skills(), input, io),
      },
      ...more,
    ],
  }
}

async function listSkills(
  skills: Skills,
  missing: FindMissing,
  { options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const source = options['source']
  if (source !== undefined && !ORIGINS.includes(String(source)))
    throw new SvcError('CLI_USAGE', `--source takes one of ${ORIGINS.join(', ')}, not "${source}".`)
  const query = { surface: 'cli', cwd: io.cwd }
  const all = (await skills.list(query)).filter(
    (skill) =>
      (source === undefined || skill.origin === source) && (options['enabledOnly'] !== true || isOffered(skill)),
  )
  const problems = await skills.problems(query)
  const needs = new Map(await Promise.all(all.map(async (skill) => [skill, await missing(skill)] as const)))
  if (options['json'] === true) {
    printJson(io, { skills: all.map((skill) => ({ ...skill, missing: needs.get(skill) })), problems })
    return 0
  }
  if (all.length === 0 && problems.length === 0) {
    io.out('There are no skills. Put a folder with a SKILL.md into the folder skills of SVC_HOME.\n')
    return 0
  }
  const rows = all.map((skill) => [
    skill.category ?? '',
    skill.name,
    formatOrigin(skill),
    formatState(skill, needs.get(skill)),
  ])
  const lines = rows.length > 0 ? formatColumns([['CATEGORY', 'NAME', 'FROM', 'STATE'], ...rows]) : []
  const count = formatCount(all.length, 'skill')
  await printParts(io, [...lines.map((line) => `${line}\n`), `${count}\n`, ...formatProblems(problems, io)])
  return 0
}

function formatOrigin({ origin, trust, source }: Skill): string {
  const name: string = origin === trust ? origin : `${origin} (${trust})`
  return source === undefined ? name : `${name} ${source}`
}

function formatState({ isDisabled, unavailable }: Skill, missing: readonly string[] = []): string {
  if (isDisabled) return 'switched off'
  return unavailable ?? (missing.length > 0 ? `needs ${missing.join(', ')}` : 'ready')
}

function formatProblems(problems: readonly SkillProblem[], io: CliContext): readonly string[] {
  return problems.map(
    ({ folder, reason }) => `${paint(io, 'yellow', 'not used:')} ${safeLine(folder)}: ${safeLine(reason)}\n`,
  )
}

async function viewSkill(skills: Skills, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const [name = '', path] = args
  const read = await skills.read(name, { surface: 'cli', cwd: io.cwd, ...(path !== undefined && { path }) })
  if (options['json'] === true) {
    printJson(io, read)
    return 0
  }
  const { skill, text, files, missing } = read
  const facts =
    path === undefined
      ? [
          ['name', skill.name],
          ['description', skill.description],
          ['from', formatOrigin(skill)],
          ['state', formatState(skill, missing)],
          ['folder', skill.folder],
          ...(files.length > 0 ? [['files', files.map((file) => file.path).join(', ')]] : []),
        ]
      : []
  const lines = formatColumns(facts).map((line) => `${line}\n`)
  await printParts(io, [...lines, ...(lines.length > 0 ? ['\n'] : []), safeBlock(text.trimEnd()), '\n'])
  return 0
}
