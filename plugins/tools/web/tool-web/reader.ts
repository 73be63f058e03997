/** Converts pages to text; a separate file in the built program, because few runs read pages. */
// @ts-expect-error: its types declare a module of another name.
import tree from '@mixmark-io/domino'
import { Readability as Reader } from '@mozilla/readability'
import Turndown from 'turndown'

export const domino: { createWindow(html: string, url: string): { readonly document: unknown } } = tree
export const Readability: typeof Reader = Reader
export const TurndownService: typeof Turndown = Turndown
