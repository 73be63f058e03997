/** A reader can follow every document: each command of a fenced block is run here, or is listed with the reason why not. */
import { expect, test } from 'vitest'
import { forms, type ReadmeBlock, readmeBlocks } from '../support/readme/blocks.ts'
import { CIRCUMSTANCES, DIALOGUES, NOT_RUN, PLACEHOLDERS } from '../support/readme/circumstances.ts'
import { ReadmeStage, type ShellRun } from '../support/readme/stage.ts'
import { root } from '../support/repository.ts'
import { isToday } from '../support/today.ts'

const blocks = readmeBlocks()
const isNotRun = (path: string, command: string) =>
  NOT_RUN.some((entry) => entry.path === path && entry.command === command)
/** These work on the checkout. */
const OF_CHECKOUT = /^(?:npm|npx) /

test('every command that is not run stands in its document', () => {
  const all = new Set(
    blocks.flatMap(({ path, commands }) =>
      commands.flatMap(({ text }) => forms(text).map((form) => `${path}: ${form}`)),
    ),
  )
  expect(NOT_RUN.map(({ path, command }) => `${path}: ${command}`).filter((entry) => !all.has(entry))).toEqual([])
})

/** The README of the repository every day, of the others every eighth block. */
const today = blocks.filter(({ path }, at) => path === 'README.md' || isToday(at, 16))

test.for(today.map((block) => [`${block.path}:${block.line}`, block] as const))(
  'the commands of %s do what they say',
  { timeout: 240_000 },
  async ([, block]) => {
    if (block.commands.every(({ text }) => forms(text).every((form) => isNotRun(block.path, form)))) return
    await runBlock(block)
  },
)

async function runBlock({ path, commands }: ReadmeBlock): Promise<void> {
  const circumstances = CIRCUMSTANCES[path]
  await using stage = await ReadmeStage.create(circumstances)
  for (const { text, shown } of commands)
    for (const form of forms(withOwn(text, circumstances?.replaced))) {
      if (isNotRun(path, form)) continue
      const command = PLACEHOLDERS.reduce((filled, [pattern, word]) => filled.replaceAll(pattern, word), form)
      const { code, out, err } = await runCommand(stage, command)
      expect.soft(code, `${command}\n${err}${out}`).toBe(0)
      for (const line of shown) expect.soft(out, command).toContain(line)
    }
  expect.soft((await stage.settle())?.code ?? 0, 'the end of the gateway').toBe(0)
}

function runCommand(stage: ReadmeStage, command: string): Promise<ShellRun> {
  const dialogue = DIALOGUES[command]
  if (dialogue) return stage.runAtTerminal(command, dialogue)
  return stage.run(command, OF_CHECKOUT.test(command) ? root : stage.cwd)
}

/** With the words of the home that it runs in. */
function withOwn(text: string, replaced: Readonly<Record<string, string>> = {}): string {
  return Object.entries(replaced).reduce((own, [from, to]) => own.replaceAll(from, to), text)
}
