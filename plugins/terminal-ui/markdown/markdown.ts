/** The service, of its parts. Parsers are imported from here on: plugins are loaded without this file. */
import type { Markdown, TextLayout } from 'svc/sdk/terminal'
import { codeLines, detectLanguage } from './code.ts'
import { diffLines } from './diff.ts'
import { Stream } from './stream.ts'

/** Contract: `Markdown` of the SDK. */
export function createMarkdown(layout: TextLayout): Markdown {
  return {
    lines(text, width) {
      const stream = new Stream(layout)
      stream.append(text)
      stream.end()
      return stream.lines(width)
    },
    stream: () => new Stream(layout),
    code: (text, language) => codeLines(layout.clean(text), detectLanguage(language)),
    diff: (text, width) => diffLines(text, width, layout),
  }
}
