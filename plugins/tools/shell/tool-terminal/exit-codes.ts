/** What an exit code means where the number alone would mislead. */

/** Commands for which 1 is an answer and not a failure. */
const ANSWER_ONE: Readonly<Record<string, string>> = {
  grep: 'no line matched',
  egrep: 'no line matched',
  fgrep: 'no line matched',
  zgrep: 'no line matched',
  rg: 'no line matched',
  ag: 'no line matched',
  diff: 'the files differ',
  cmp: 'the files differ',
  colordiff: 'the files differ',
  test: 'the condition is false',
  '[': 'the condition is false',
  '[[': 'the condition is false',
  pgrep: 'no process matched',
  which: 'not found on the PATH',
}

const ANY_COMMAND: Readonly<Record<number, string>> = {
  126: 'found but not executable',
  127: 'command not found',
  137: 'killed, perhaps for lack of memory',
  139: 'crashed with a segmentation fault',
  141: 'its output was closed early',
}

/** What a code means; `harmless` when it is an answer and not a failure. */
export interface ExitMeaning {
  readonly text: string
  readonly harmless: boolean
}

/** The meaning of a code after a command line, or undefined when the number says it all. */
export function exitMeaning(command: string, exitCode: number): ExitMeaning | undefined {
  const program = lastProgram(command)
  const answer = exitCode === 1 && Object.hasOwn(ANSWER_ONE, program) ? ANSWER_ONE[program] : undefined
  if (answer !== undefined) return { text: answer, harmless: true }
  const text = ANY_COMMAND[exitCode]
  return text === undefined ? undefined : { text, harmless: false }
}

/** The program whose code a command line returns: of the last command of the last pipeline. */
function lastProgram(command: string): string {
  const unquoted = command.replace(/'[^']*'|"(?:\\.|[^"\\])*"/gs, 'Q')
  const last = unquoted
    .split(/\|\||&&|[|;\n]/)
    .map((part) => part.trim())
    .findLast((part) => part !== '')
  const words = (last ?? '').split(/\s+/)
  const program = words.find((word) => !/^(\w+=.*|sudo|command|env|time|!)$/.test(word)) ?? ''
  return program.slice(program.lastIndexOf('/') + 1)
}
