/** `svc profile list` and `svc profile show`. */
import type { CliArguments, CliContext } from 'svc/sdk'
import { formatColumns, formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { type Context, findFolder, findOwn, listFolders, readActive } from './profile-folders.ts'
import { listProfiles, type ProfileFacts, readProfile } from './roster.ts'

export async function list(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const profiles = await listProfiles(ctx)
  if (hasFlag(input, 'json')) printJson(io, { profiles })
  else {
    const rows = profiles.map((each) => [
      each.name,
      each.is_active ? 'active' : '',
      each.model ?? '-',
      each.gateway_running ? 'gateway' : '',
      each.description,
    ])
    io.out(`${formatColumns(rows).join('\n')}\n`)
    if (profiles.length === 1) io.out('To create another one: svc profile create NAME\n')
  }
  const active = readActive(ctx)
  if (!listFolders(ctx).some(({ name }) => name === active))
    io.err(
      `svc: the active profile ${safeLine(active)} is gone. Choose another one: svc -p default profile use default\n`,
    )
  return 0
}

export async function show(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const [typed] = input.args
  const facts = await readProfile(ctx, typed === undefined ? findOwn(ctx) : findFolder(ctx, typed))
  if (hasFlag(input, 'json')) printJson(io, facts)
  else io.out(formatFacts(facts))
  return 0
}

function formatFacts(facts: ProfileFacts): string {
  const { name, path, is_active, model, provider, has_env, skill_count, description, description_auto, running } = facts
  const rows = [
    ['Profile', is_active ? `${name} (active)` : name],
    ['Folder', path],
    ['Description', description === '' ? 'none' : `${description}${description_auto ? ' (written by a model)' : ''}`],
    ['Model', model === null ? 'not chosen' : `${model}${provider === null ? '' : ` of ${provider}`}`],
    ['Keys', has_env ? '.env' : 'no .env'],
    ['Skills', formatCount(skill_count, 'skill')],
    [
      'Runs',
      running.map(({ pid, command }) => `${command} (process ${pid})`).join(', ') || 'nothing that can be asked',
    ],
  ]
  return `${formatColumns(rows).join('\n')}\n`
}
