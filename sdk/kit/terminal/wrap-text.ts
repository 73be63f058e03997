/** Text of a command in lines that fit the terminal. */
import type { CliContext } from '../../cli.ts'

/**
 * Breaks text between words so that no line is longer than the terminal is wide; lines after the first begin with `indent`.
 * A command in backquotes stays on one line where it fits, so that it can be copied. Where the output is not a terminal
 * nothing is broken, for programs that read it line by line.
 * @since 0.1
 */
export function wrapText(
  { interactive, columns }: Pick<CliContext, 'interactive' | 'columns'>,
  text: string,
  indent = '',
): string {
  const width = interactive ? columns : Number.POSITIVE_INFINITY
  return text
    .split('\n')
    .map((line) => wrapLine(line, width, indent))
    .join(`\n${indent}`)
}

function wrapLine(text: string, width: number, indent: string): string {
  const lines = ['']
  for (const [space, word] of splitWords(text, width - indent.length)) {
    const line = lines.at(-1) ?? ''
    const isLonger = line.length + space.length + word.length > width
    if (isLonger && line.trim() !== '') lines.push(indent + word)
    else lines[lines.length - 1] = line + space + word
  }
  return lines.join('\n')
}

/** Words with the space before each. A backquoted command that fits one line is a word. */
function splitWords(text: string, width: number): readonly (readonly [space: string, word: string])[] {
  const words = [...text.matchAll(/(\s*)([^\s`]*`[^`]*`\S*|\S+)/g)]
  return words.flatMap(([, space = '', word = '']) => {
    if (word.length <= width) return [[space, word] as const]
    return word.split(' ').map((part, at) => [at === 0 ? space : ' ', part] as const)
  })
}
