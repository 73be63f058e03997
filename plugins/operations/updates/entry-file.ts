/**
 * The entry file of an installation. After an update it names the version to start; replacing it by a rename is the one step in which a
 * version takes the place of another. Links, services and scripts name this file, so it stays where it is.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { errorMessage, SvcError, tryParseJson } from 'svc/sdk'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import { z } from 'zod'
import { getEntry, type Installation, readPackage } from './installation.ts'

const choice = z.object({
  /** The folder below `versions`; null for the version that was installed at first. */
  id: z
    .string()
    .regex(/^[\w.+-]{1,80}$/)
    .nullable(),
  version: z.string(),
  /** The entry file, relative to the folder of this one, with slashes. */
  entry: z.string(),
  /** What it was updated from: a branch or a dist-tag. */
  branch: z.string().optional(),
})
export type Choice = z.infer<typeof choice>

const chosen = z.object({ current: choice, previous: choice.optional() })
export type Chosen = z.infer<typeof chosen>

/** The entry file as it was installed. */
const OWN = 'bin.own.cjs'
const CHOSEN = /^const chosen = (\{.*\})$/m

/** What the entry file starts. */
export function readChosen({ base }: Pick<Installation, 'base'>): Chosen {
  const [, text] = CHOSEN.exec(readFileSync(getEntry(base), 'utf8').slice(0, 4096)) ?? []
  const parsed = text === undefined ? undefined : chosen.safeParse(tryParseJson(text)?.value)
  return parsed?.data ?? { current: describeBase(base) }
}

/** The version that was installed at first. */
function describeBase(base: string): Choice {
  return { id: null, version: readPackage(base).version, entry: `./${OWN}` }
}

/** A version in its folder below `versions`. */
export function createChoice(
  { base }: Pick<Installation, 'base'>,
  facts: { readonly id: string; readonly root: string; readonly version: string; readonly branch: string | undefined },
): Choice {
  const { id, root, version, branch } = facts
  const entry = relative(dirname(getEntry(base)), getEntry(root))
    .split(sep)
    .join('/')
  return { id, version, entry, ...(branch !== undefined && { branch }) }
}

/** The file that a choice starts. */
export function resolveChoice({ base }: Pick<Installation, 'base'>, { entry }: Choice): string {
  return join(dirname(getEntry(base)), entry)
}

/**
 * Replaces the entry file in one step. Returns a function that puts the file back as it was. Throws `UPDATE_SWITCH`; the file is then as
 * it was.
 */
export function writeChosen({ base }: Pick<Installation, 'base'>, next: Chosen): () => void {
  const file = getEntry(base)
  const own = join(dirname(file), OWN)
  try {
    const before = readFileSync(file, 'utf8')
    if (!CHOSEN.test(before)) writeAtomicallySync(own, before, { mode: 0o755 })
    writeAtomicallySync(file, renderEntry(next), { mode: 0o755 })
    return () => writeAtomicallySync(file, before, { mode: 0o755 })
  } catch (cause) {
    const message = `${file} cannot be replaced: ${errorMessage(cause)}. It is as it was. Run the update as the user who installed svc.`
    throw new SvcError('UPDATE_SWITCH', message, { cause })
  }
}

/** Whether the file that a choice names is there. */
export function isThere(at: Pick<Installation, 'base'>, each: Choice): boolean {
  return existsSync(resolveChoice(at, each))
}

function renderEntry(next: Chosen): string {
  return `#!/usr/bin/env node
// Written by \`svc update\`: starts the version that is chosen here. To go back: svc update --rollback
'use strict'
const chosen = ${JSON.stringify(next)}
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const entry = join(__dirname, chosen.current.entry)
if (existsSync(entry)) require(entry)
else {
  const what = \`svc \${chosen.current.version} is missing (\${entry}), so the version that was installed at first runs\`
  process.stderr.write(\`svc: \${what}. To install it again: svc update\\n\`)
  require('./${OWN}')
}
`
}
