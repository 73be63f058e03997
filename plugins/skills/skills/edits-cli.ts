/** `svc skills edits`: what the agent changed in skills. */
import { type CliArguments, type CliCommand, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { formatMoment, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { PluginState } from 'svc/sdk/storage'
import type { EditBook, SkillEdit } from './edits.ts'

export function editsCommand(state: PluginState<EditBook>): CliCommand {
  return {
    name: 'edits',
    description: 'Show what the agent changed in skills and why; switch an edit off or on, or undo it',
    arguments: '[skill]',
    options: [
      { flags: '--disable <id>', description: 'Switch an edit off; it is kept' },
      { flags: '--enable <id>', description: 'Switch an edit on again' },
      { flags: '--undo <id>', description: 'Remove an edit' },
      { flags: '-y, --yes', description: 'Do not ask' },
      { flags: '--json', description: 'The result as JSON' },
    ],
    examples: ['skills edits', 'skills edits release-notes --disable 3', 'skills edits --undo 3'],
    run: (input, io) => run(state, input, io),
  }
}

async function run(state: PluginState<EditBook>, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const [name] = args
  const chosen = (['disable', 'enable', 'undo'] as const).filter((key) => options[key] !== undefined)
  if (chosen.length > 1) throw new SvcError('CLI_USAGE', 'Give one of --disable, --enable and --undo.')
  const [verb] = chosen
  const all = state.get().edits.filter(({ skill }) => name === undefined || skill === name)
  if (verb === undefined) return show(all, options['json'] === true, io)
  const edit = all.find(({ id }) => String(id) === options[verb])
  if (!edit) throw new SvcError('SKILL_NOT_FOUND', `There is no edit ${options[verb]}. svc skills edits lists them.`)
  const print = () => io.out(format(edit))
  if (verb === 'undo' && !(await confirmCommand(io, `Remove edit ${edit.id} of ${edit.skill}?`, options, print)))
    return 1
  await state.update((book) => ({ ...book, edits: book.edits.flatMap((each) => turn(each, edit.id, verb)) }))
  const done = { disable: 'is off', enable: 'is on', undo: 'is undone' }[verb]
  if (options['json'] === true) printJson(io, { id: edit.id, skill: edit.skill, [verb]: true })
  else io.out(`Edit ${edit.id} of ${edit.skill} ${done}.\n`)
  return 0
}

function turn(edit: SkillEdit, id: number, verb: 'disable' | 'enable' | 'undo'): readonly SkillEdit[] {
  if (edit.id !== id) return [edit]
  return verb === 'undo' ? [] : [{ ...edit, isDisabled: verb === 'disable' }]
}

async function show(edits: readonly SkillEdit[], isJson: boolean, io: CliContext): Promise<number> {
  if (isJson) printJson(io, { edits })
  else if (edits.length === 0) io.out('The agent has changed no skill.\n')
  else await printParts(io, edits.map(format))
  return 0
}

function format({ id, skill, path, at, author, reason, origin, diff, isDisabled }: SkillEdit): string {
  const head = `${id}  ${skill}/${path}  ${formatMoment(at)}  by the ${author}${isDisabled ? '  (off)' : ''}`
  const from = origin === undefined ? '' : `after reading: ${origin}\n`
  return `${safeLine(head)}\nreason: ${safeLine(reason)}\n${safeBlock(from)}${safeBlock(diff.trimEnd())}\n\n`
}
