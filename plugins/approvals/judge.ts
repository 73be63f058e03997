/** The one decision: blocked, asked about, or allowed. Imported at the first tool call. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { CommandRisk, CommandRisks } from 'svc/sdk'
import { matchesGlob } from './glob.ts'

/** What a tool is about to do. */
export interface Deed {
  readonly tool: string
  readonly command?: string
  readonly paths?: readonly string[]
  readonly cwd: string
  /** Variables that earlier commands set in the same shell. */
  readonly variables?: ReadonlyMap<string, readonly string[]>
}

/** The rules in force. */
export interface Rules {
  readonly deny: readonly string[]
  readonly allow: readonly string[]
  /** Dangerous commands run unasked. */
  readonly unasked: boolean
}

export type Judgement = {
  /** What the shell will have set afterwards. */
  readonly variables?: ReadonlyMap<string, readonly string[]>
} & (
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'blocked'; readonly reason: string }
  | {
      readonly verdict: 'ask'
      /** Names of patterns. */
      readonly patterns: readonly string[]
      readonly reason: string
      readonly action: string
      readonly hash: string
      /** One command without operators: an answer may stand for more than this once. */
      readonly simple: boolean
      /** For a command: without comments, and the commands in it as they would be run. */
      readonly review?: { readonly command: string; readonly runs: readonly string[] }
    }
)

/** Order: hard line, deny list, mode, allow list, patterns. Grants are looked up by the caller. */
export async function judge(deed: Deed, rules: Rules, risks: CommandRisks): Promise<Judgement> {
  if (deed.command === undefined) return judgeFiles(deed, rules, risks)
  const risk = await risks.command(deed.command, deed)
  return { ...judgeCommand(deed, deed.command, rules, risk), variables: risk.variables }
}

function judgeCommand(deed: Deed, command: string, rules: Rules, risk: CommandRisk): Judgement {
  if (risk.never !== undefined)
    return { verdict: 'blocked', reason: `this ${risk.never}, which no setting and no answer allows` }
  const texts = [...risk.spellings, risk.text]
  const denied = rules.deny.find((glob) => texts.some((text) => matchesGlob(glob, text)))
  if (denied !== undefined) return forbidden(denied)
  const listed = risk.simple && rules.allow.some((glob) => matchesGlob(glob, risk.text))
  if (rules.unasked || listed || !risk.dangers.length) return { verdict: 'allowed' }
  return {
    verdict: 'ask',
    patterns: risk.dangers.map(({ name }) => name),
    reason: risk.dangers.map(({ why }) => why).join('; '),
    action: command,
    hash: hashOf(deed, [...risk.read].flat()),
    simple: risk.simple,
    review: { command: risk.uncommented ?? command, runs: risk.spellings.slice(1) },
  }
}

/** One call may write several files: one that may not be written forbids all, and those that matter are asked about together. */
async function judgeFiles(deed: Deed, rules: Rules, risks: CommandRisks): Promise<Judgement> {
  const asked: { readonly text: string; readonly reason: string }[] = []
  for (const path of deed.paths ?? []) {
    const text = `${deed.tool} ${path.startsWith('~') ? path : resolve(deed.cwd, path)}`
    const denied = rules.deny.find((glob) => matchesGlob(glob, text))
    if (denied !== undefined) return forbidden(denied)
    const reason = await risks.write(path, deed.cwd)
    const isFine = rules.unasked || reason === undefined || rules.allow.some((glob) => matchesGlob(glob, text))
    if (!isFine) asked.push({ text, reason })
  }
  if (asked.length === 0) return { verdict: 'allowed' }
  return {
    verdict: 'ask',
    patterns: ['sensitive-file'],
    reason: [...new Set(asked.map(({ reason }) => reason))].join('; '),
    action: asked.map(({ text }) => text).join('\n'),
    hash: hashOf(deed, []),
    simple: deed.paths?.length === 1,
  }
}

function forbidden(glob: string): Judgement {
  return { verdict: 'blocked', reason: `approvals.deny in config.yaml forbids "${glob}"` }
}

function hashOf({ tool, command, paths = [], cwd }: Deed, environment: readonly string[]): string {
  const parts = [tool, command ?? '', ...paths, cwd, ...environment]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
