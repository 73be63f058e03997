/** Variables that plugins lend a command, as lines of a shell: bash and any other POSIX shell. */
import { shellQuote } from 'svc/sdk/shell'

/** Sets and exports them. Empty without variables. */
export function exportLine(variables: Readonly<Record<string, string>>): string {
  const words = Object.entries(variables).map(([name, value]) => `${name}=${shellQuote(value)}`)
  return words.length === 0 ? '' : `\\command export ${words.join(' ')};`
}

/** What stands around a command in a shell that goes on. */
interface LentVariables {
  /** Keeps what the shell has under these names, then sets and exports them. */
  readonly lend: string
  /** Brings back what was there. A variable that the command itself changed stays as it left it. */
  readonly takeBack: string
}

/** The variables for one command: those after it do not have them. */
export function lentVariables(variables: Readonly<Record<string, string>>): LentVariables {
  const names = Object.entries(variables)
  const keep = names.map(([name], index) => keepLine(name, index))
  const restore = names.map(([name, value], index) => restoreLine(name, value, index))
  return { lend: keep.join('') + exportLine(variables), takeBack: restore.join('') }
}

/** `__svc_sN` says what there was: nothing, a variable of the shell, or an exported one. Only syntax: no alias comes in. */
function keepLine(name: string, index: number): string {
  const isExported = String.raw`case "$(\command export -p)" in *" ${name}="*)__svc_s${index}=e;;*)__svc_s${index}=s;;esac`
  return `case \${${name}+x} in x)__svc_v${index}=$${name};${isExported};;*)__svc_s${index}=u;;esac;`
}

function restoreLine(name: string, value: string, index: number): string {
  const back = `${name}=$__svc_v${index}`
  const unset = String.raw`\command unset ${name}`
  const was = `case $__svc_s${index} in u)${unset};;s)${unset};${back};;e)${back};;esac`
  return `case \${${name}-} in ${shellQuote(value)})${was};;esac;\\command unset __svc_s${index} __svc_v${index};`
}
