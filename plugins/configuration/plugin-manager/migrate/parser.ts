/** The parser of JavaScript and TypeScript; a separate file in the built program, because few runs read sources. */
import { parse as parseWithBabel } from '@babel/parser'

export const parse: typeof parseWithBabel = parseWithBabel
