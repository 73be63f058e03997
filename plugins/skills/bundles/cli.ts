/** `svc bundles`. */
import { type CliArguments, type CliCommand, type CliContext, type CliOption, confirmCommand, SvcError } from 'svc/sdk'
import { formatColumns, formatCount, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { Skills } from 'svc/sdk/skills'
import type { Bundle } from './bundle.ts'
import type { BundleStore } from './store.ts'

const json: CliOption = { flags: '--json', description: 'The result as JSON' }

export interface CliDeps {
  readonly store: BundleStore
  skills(): Skills
}

export function bundlesCliCommand(deps: CliDeps): CliCommand {
  return {
    name: 'bundles',
    description: 'List, show, create and delete bundles: skills that one slash command uses together',
    options: [json],
    examples: ['bundles', 'bundles create release -s changelog -s deploy'],
    run: (input, io) => list(deps, input, io),
    subcommands: [
      {
        name: 'list',
        description: 'List the bundles, and files that cannot be used',
        options: [json],
        examples: ['bundles list'],
        run: (input, io) => list(deps, input, io),
      },
      {
        name: 'show',
        description: 'Show a bundle, and which of its skills are there',
        arguments: '<name>',
        options: [json],
        examples: ['bundles show release'],
        run: (input, io) => show(deps, input, io),
      },
      {
        name: 'create',
        description: 'Create a bundle; its name becomes a slash command',
        arguments: '<name>',
        options: [
          { flags: '-s, --skill <name...>', description: 'A skill of the bundle; may be repeated' },
          { flags: '-d, --description <text>', description: 'What it is for, shown in the completion' },
          { flags: '-i, --instruction <text>', description: 'What the model reads before the skills' },
          { flags: '-f, --force', description: 'Replace a bundle of the same name' },
          json,
        ],
        examples: ['bundles create release -s changelog -s deploy -d "Release a version"'],
        run: (input, io) => create(deps, input, io),
      },
      {
        name: 'delete',
        description: 'Delete a bundle; its skills stay',
        arguments: '<name>',
        options: [{ flags: '-y, --yes', description: 'Do not ask' }, json],
        examples: ['bundles delete release'],
        run: (input, io) => remove(deps, input, io),
      },
      {
        name: 'reload',
        description: 'Read the files again and say what they are',
        options: [json],
        examples: ['bundles reload'],
        run: (input, io) => reload(deps, input, io),
      },
    ],
  }
}

async function list({ store }: CliDeps, { options }: CliArguments, io: CliContext): Promise<number> {
  const { bundles, problems } = await store.all()
  if (options['json'] === true) printJson(io, { bundles, problems })
  else if (bundles.length + problems.length === 0)
    io.out('There are no bundles. Create one: svc bundles create release -s changelog -s deploy\n')
  else {
    const rows = bundles.map(({ slug, skills, description }) => [`/${slug}`, skills.join(', '), description])
    const lines = rows.length > 0 ? formatColumns([['COMMAND', 'SKILLS', 'DESCRIPTION'], ...rows]) : []
    const bad = problems.map(({ file, reason }) => `not used: ${safeLine(file)}: ${safeLine(reason)}`)
    await printParts(
      io,
      [...lines, formatCount(bundles.length, 'bundle'), ...bad].map((line) => `${line}\n`),
    )
  }
  return 0
}

async function show({ store, skills }: CliDeps, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const bundle = await store.find(args[0] ?? '')
  const missing = await findMissing(bundle, skills())
  if (options['json'] === true) {
    printJson(io, { ...bundle, missing })
    return 0
  }
  const { slug, name, description, skills: names, instruction, file } = bundle
  const facts = [
    ['command', `/${slug}`],
    ['name', name],
    ['description', description],
    ['skills', names.join(', ')],
    ...(missing.length > 0 ? [['missing', missing.join(', ')]] : []),
    ['file', file],
  ]
  io.out(
    `${formatColumns(facts).join('\n')}\n${instruction === undefined ? '' : `\n${safeBlock(instruction.trim())}\n`}`,
  )
  return 0
}

async function findMissing({ skills: names }: Pick<Bundle, 'skills'>, skills: Skills): Promise<readonly string[]> {
  const found = await Promise.all(names.map(async (name) => ({ name, skill: await skills.find(name) })))
  return found.flatMap(({ name, skill }) => (skill ? [] : [name]))
}

async function create(deps: CliDeps, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const given = options['skill']
  const typed = Array.isArray(given) ? (given as readonly string[]) : typeof given === 'string' ? [given] : []
  const names = typed.length > 0 ? typed : await askForSkills(deps, io)
  const bundle = await deps.store.create(
    { name: args[0] ?? '', skills: names, ...text('description', options), ...text('instruction', options) },
    { replaces: options['force'] === true },
  )
  const missing = await findMissing(bundle, deps.skills())
  if (options['json'] === true) printJson(io, { ...bundle, missing })
  else io.out(`Created ${bundle.file}. Type /${bundle.slug} in a conversation.\n`)
  if (missing.length > 0) io.err(`Not among the skills now: ${missing.join(', ')}. svc skills list shows them.\n`)
  return 0
}

function text(key: string, options: CliArguments['options']): Readonly<Record<string, string>> {
  const value = options[key]
  return typeof value === 'string' && value !== '' ? { [key]: value } : {}
}

async function askForSkills({ skills }: CliDeps, io: CliContext): Promise<readonly string[]> {
  if (!io.interactive) throw new SvcError('CLI_USAGE', 'Name the skills of the bundle: -s changelog -s deploy.')
  const all = await skills().list()
  io.out(`${all.map(({ name }) => name).join(', ') || 'There are no skills yet.'}\n`)
  const answer = (await io.ask('Skills of the bundle, separated by commas: ')) ?? ''
  const names = answer.split(/[\s,]+/).filter((name) => name !== '')
  if (names.length === 0) throw new SvcError('CLI_USAGE', 'A bundle has at least one skill.')
  return names
}

async function remove({ store }: CliDeps, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const bundle = await store.find(args[0] ?? '')
  const show = () => io.out(`${bundle.file}\n`)
  if (!(await confirmCommand(io, `Delete the bundle ${bundle.slug}?`, options, show))) return 1
  await store.remove(bundle)
  if (options['json'] === true) printJson(io, { deleted: bundle.slug })
  else io.out(`Deleted ${bundle.slug}.\n`)
  return 0
}

async function reload({ store }: CliDeps, { options }: CliArguments, io: CliContext): Promise<number> {
  const changes = await store.reload()
  if (options['json'] === true) printJson(io, changes)
  else
    io.out(`${formatCount(changes.total, 'bundle')}: ${changes.added.concat(changes.unchanged).join(', ') || 'none'}\n`)
  return 0
}
