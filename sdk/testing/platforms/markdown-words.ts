/** The words that people see of a message in Markdown, for services whose apps show it: enough for what is sent there. */

/** Without marks; what is escaped stands for itself. */
export function wordsOfMarkdown(text: string): string {
  // Code comes first: within it nothing is a mark.
  return text
    .split(/^(`{3,}[^\n]*\n[\s\S]*?\n`{3,})$/gm)
    .map((part) => (part.startsWith('```') ? part.split('\n').slice(1, -1).join('\n') : wordsOfLines(part)))
    .join('')
}

function wordsOfLines(text: string): string {
  return text
    .split(/(`` .+? ``)/g)
    .map((part) => (part.startsWith('`` ') ? part.slice(3, -3) : withoutMarks(part)))
    .join('')
}

function withoutMarks(text: string): string {
  return text
    .replace(/(?<!\\)(\*\*|~~|\*)/g, '')
    .replace(/^#+ |^> /gm, '')
    .replace(/(?<!\\)\[((?:\\.|[^\]\\\n])*)\]\(([^)\s]*)\)/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
}
