/** Rewrites one source file for the running SDK: import statements, and the names that they bring. */
import type { SdkRename } from 'svc/sdk/safety'
import { Edits } from './edits.ts'
import { rewriteExport, rewriteImport } from './statements.ts'
import { type Node, parseSource, type Source } from './syntax.ts'
import type { Names } from './targets.ts'
import { rewriteImportedModules } from './whole-modules.ts'

/** Something that a person has to change. */
export interface Remainder {
  readonly line: number
  readonly text: string
}

/** A rewritten file. */
export interface Rewritten {
  readonly text: string
  /** The old names that it used, with the line of the first use. */
  readonly used: readonly { readonly rename: SdkRename; readonly line: number }[]
  readonly left: readonly Remainder[]
}

/** What the parts of a rewrite share. */
export interface Job {
  readonly source: Source
  readonly names: Names
  readonly edits: Edits
  /** Notes what a person has to do at this node. */
  leave(at: Node, text: string): void
}

/** Throws a `SyntaxError` for a text that cannot be parsed. */
export async function rewrite(file: string, text: string, names: Names): Promise<Rewritten> {
  if (!/['"]svc\/sdk/.test(text)) return { text, used: [], left: [] }
  const source = await parseSource(file, text)
  const left: Remainder[] = []
  const used = new Map<SdkRename, number>()
  const watched: Names = {
    ...names,
    resolve(name, at) {
      const target = names.resolve(name, at)
      if (target.rename && !used.has(target.rename)) used.set(target.rename, at.loc.start.line)
      return target
    },
  }
  const edits = new Edits()
  const job: Job = {
    source,
    names: watched,
    edits,
    leave: (at, what) => left.push({ line: at.loc.start.line, text: what }),
  }
  for (const place of source.places) {
    if (place.node.type === 'ImportDeclaration') rewriteImport(job, place.node)
    else if (/^Export(Named|All)Declaration$/.test(place.node.type)) rewriteExport(job, place.node)
    else rewriteImportedModules(job, place)
  }
  const result = edits.apply(text)
  // A text that was valid before must be valid after it.
  if (result !== text) await parseSource(file, result)
  const order = (one: { readonly line: number }, two: { readonly line: number }) => one.line - two.line
  return {
    text: result,
    used: [...used].map(([rename, line]) => ({ rename, line })).sort(order),
    left: left.sort(order),
  }
}
