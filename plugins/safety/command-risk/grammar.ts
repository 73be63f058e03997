/** Reads a text in the grammar of its shell. */
import type { ShellDialect } from 'svc/sdk/shell'
import { readPowerShell } from './powershell.ts'
import type { Reading } from './shell-nodes.ts'
import { readShell } from './shell-reader.ts'

export type Dialect = ShellDialect

/** `depth` counts texts within texts. */
export function readText(text: string, dialect: Dialect, depth = 0): Reading {
  if (dialect === 'powershell') return readPowerShell(text, depth)
  if (dialect === 'cmd') return readShell(ofCmd(text), depth)
  return readShell(text, depth, dialect)
}

/** cmd.exe as a shell would say it: carets, percent signs and backslashes mean something else there. */
function ofCmd(text: string): string {
  return text
    .replace(/\^\r?\n/g, '')
    .replace(/\^(?=.)/g, '')
    .replace(/%~?(\w+)%/g, '$${$1}')
    .replace(/\\/g, '/')
    .replace(/'/g, "\\'")
    .replace(/^\s*@/gm, '')
    .replace(/^\s*(?:rem\b|::).*$/gim, '')
    .replace(/&(?!&)/g, ';')
}
