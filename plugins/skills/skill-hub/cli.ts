/** `svc skills search|browse|install|check|update|remove|publish-check|tap`: subcommands and their options. */
import type { CliCommand, CliOption } from 'svc/sdk'
import type { SkillHub } from './hub.ts'
import type { Taps } from './taps.ts'

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const deep: CliOption = {
  flags: '--deep',
  description: 'Also have a model read it (auxiliary.skills_hub), in one call',
}
const yes: CliOption = { flags: '-y, --yes', description: 'Do not ask' }

export function hubCommands(hub: () => SkillHub, taps: () => Taps): CliCommand[] {
  return [...findCommands(hub), ...changeCommands(hub), publishCommand(hub), tapCommand(taps)]
}

function findCommands(hub: () => SkillHub): CliCommand[] {
  return [
    {
      name: 'skills search',
      description: 'Search the hubs and repositories for skills. What is found can be given to `skills install`.',
      arguments: '<query...>',
      options: [
        { flags: '--source <name>', description: 'Only one source: skills.sh, clawhub or github' },
        { flags: '--limit <count>', description: 'At most so many results (default 25)' },
        json,
      ],
      examples: ['skills search pdf', 'skills search invoice --source clawhub --json'],
      run: async (input, io) => (await import('./search.ts')).searchSkills(hub(), input, io),
    },
    {
      name: 'skills browse',
      description: 'List the skills of one source, page by page',
      arguments: '[source]',
      options: [
        { flags: '--page <number>', description: 'The page, from 1 on' },
        { flags: '--size <count>', description: 'Skills of a page (default 20)' },
        json,
      ],
      examples: ['skills browse', 'skills browse github --page 2'],
      run: async (input, io) => (await import('./search.ts')).browseSkills(hub(), input, io),
    },
  ]
}

function changeCommands(hub: () => SkillHub): CliCommand[] {
  return [
    {
      name: 'skills install',
      description: 'Fetch a skill, scan it, show what it is and where it is from, and install it after a question.',
      arguments: '<source>',
      options: [
        { flags: '--category <name>', description: 'A folder to sort it into' },
        { flags: '--force', description: 'Also with findings of severity high, but never with critical ones' },
        deep,
        yes,
        json,
      ],
      examples: [
        'skills install anthropics/skills/skills/pdf',
        'skills install ./my-skill',
        'skills install clawhub:weather --yes',
      ],
      run: async (input, io) => (await import('./install.ts')).installSkill(hub(), input, io),
    },
    {
      name: 'skills inspect',
      description: 'Fetch and scan a skill, show what it is, and install nothing',
      arguments: '<source>',
      options: [deep, json],
      examples: ['skills inspect anthropics/skills/skills/pdf --deep', 'skills inspect ./my-skill --json'],
      run: async (input, io) => (await import('./audit.ts')).inspectSkill(hub(), input, io),
    },
    {
      name: 'skills audit',
      description: 'Scan installed skills again. Exit code 1 if one is worse than at its installation.',
      arguments: '[name]',
      options: [deep, json],
      examples: ['skills audit', 'skills audit pdf --deep', 'skills audit pdf --json'],
      run: async (input, io) => (await import('./audit.ts')).auditSkills(hub(), input, io),
    },
    {
      name: 'skills check',
      description: 'Compare installed skills with their sources, and with what was installed',
      arguments: '[name]',
      options: [{ flags: '--diff', description: 'Show what a newer version and your edits change' }, json],
      examples: ['skills check', 'skills check pdf --diff'],
      run: async (input, io) => (await import('./update.ts')).checkSkills(hub(), input, io),
    },
    {
      name: 'skills update',
      description: 'Install newer versions after showing what changes. Skills that you edited are left as they are.',
      arguments: '[name]',
      options: [
        { flags: '--force', description: 'Also with findings of severity high, but never with critical ones' },
        yes,
        json,
      ],
      examples: ['skills update', 'skills update pdf --yes'],
      run: async (input, io) => (await import('./update.ts')).updateSkills(hub(), input, io),
    },
    {
      name: 'skills remove',
      description: 'Remove a skill that was installed from elsewhere; its files are kept aside',
      arguments: '<name>',
      options: [yes, json],
      examples: ['skills remove pdf', 'skills remove pdf --yes'],
      run: async (input, io) => (await import('./remove.ts')).removeSkill(hub(), input, io),
    },
    {
      name: 'skills restore',
      description: 'Take the removal of a skill back; without a name, list what can be restored',
      arguments: '[name]',
      options: [json],
      examples: ['skills restore', 'skills restore pdf'],
      run: async (input, io) => (await import('./remove.ts')).restoreSkill(hub(), input, io),
    },
  ]
}

function publishCommand(hub: () => SkillHub): CliCommand {
  return {
    name: 'skills publish-check',
    description: 'Read and scan a folder as others would before they install it. Exit code 1 if it would be blocked.',
    arguments: '<folder>',
    options: [json],
    examples: ['skills publish-check ./my-skill', 'skills publish-check ./my-skill --json'],
    run: async (input, io) => (await import('./install.ts')).checkFolder(hub(), input, io),
  }
}

function tapCommand(taps: () => Taps): CliCommand {
  return {
    name: 'skills tap',
    description: 'GitHub repositories that `skills search` and `skills browse` look into',
    subcommands: [
      {
        name: 'list',
        description: 'List the repositories',
        options: [json],
        examples: ['skills tap list'],
        run: async (input, io) => (await import('./taps.ts')).listTaps(taps(), input, io),
      },
      {
        name: 'add',
        description: 'Add a repository',
        arguments: '<repository>',
        options: [json],
        examples: ['skills tap add acme/skills'],
        run: async (input, io) => (await import('./taps.ts')).addTap(taps(), input, io),
      },
      {
        name: 'remove',
        description: 'Remove a repository that was added',
        arguments: '<repository>',
        options: [json],
        examples: ['skills tap remove acme/skills'],
        run: async (input, io) => (await import('./taps.ts')).removeTap(taps(), input, io),
      },
    ],
  }
}
