/**
 * The suite for clients of the public package `@modelcontextprotocol/conformance`: it starts a server for each scenario, runs a client
 * against it, and judges what it saw. Cases that are left out are in kernel/DECISIONS.md.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../support/repository.ts'
import { isToday } from '../../../support/today.ts'

const SCENARIOS = [
  ...['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  ...['auth/metadata-default', 'auth/metadata-var1', 'auth/metadata-var2', 'auth/metadata-var3'],
  ...['auth/scope-from-www-authenticate', 'auth/scope-from-scopes-supported', 'auth/scope-omitted-when-undefined'],
  ...['auth/scope-step-up', 'auth/scope-retry-limit', 'auth/pre-registration', 'auth/resource-mismatch'],
  ...['auth/token-endpoint-auth-basic', 'auth/token-endpoint-auth-post', 'auth/token-endpoint-auth-none'],
  ...['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
  ...['auth/offline-access-scope', 'auth/offline-access-not-supported'],
]

/** The suite is for Node 22 and later; what Node 20 lacks of it is used by another of its commands only. */
function suite(): string {
  const original = readFileSync(join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'), 'utf8')
  const folder = join(root, 'node_modules/.cache/conformance')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'index.mjs')
  writeFileSync(file, original.replace('globSync as o,', ''))
  return file
}

function run(scenario: string): Promise<{ readonly code: number; readonly out: string }> {
  const client = join(import.meta.dirname, 'conformance-client.mjs')
  const args = [
    suite(),
    'client',
    '--command',
    `${process.execPath} ${client}`,
    '--scenario',
    scenario,
    '--timeout',
    '60000',
  ]
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: root, timeout: 90_000, env: { ...process.env, MCP_SCENARIO: scenario } },
      (error, out, err) => {
        resolve({ code: error ? 1 : 0, out: `${out}${err}` })
      },
    )
  })
}

test.for(SCENARIOS.filter((_, at) => isToday(at, 2)))('svc passes the scenario %s', async (scenario) => {
  const { code, out } = await run(scenario)
  expect(code, out.slice(-3000)).toBe(0)
})
