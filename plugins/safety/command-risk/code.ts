/** Programs given on the command line to an interpreter: `python -c`, `node -e`, documents. */
import { isUnknown } from './expand.ts'
import { after } from './options.ts'
import type { Command } from './walk.ts'

const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  python: /^-[A-Za-z]*c$/,
  perl: /^-[A-Za-z0-9]*[eE]$/,
  ruby: /^-[A-Za-z]*e$/,
  node: /^(-e|--eval|-p|--print|-pe)$/,
  deno: /^eval$/,
  bun: /^(-e|--eval)$/,
  php: /^-r$/,
  lua: /^-e$/,
  awk: /(?!)/,
  osascript: /^-e$/,
}

/** Code that reaches outside of the interpreter, or hides what it does. */
const REACHES =
  /\b(?:system|popen|spawn|exec\w*|subprocess|child_process|shutil|rmtree|unlink\w*|rmdir\w*|rmSync|rm_rf|rimraf|remove\w*|rename\w*|truncate|chmod\w*|chown\w*|kill|fork|syscall|ctypes|socket|urllib|requests|urlopen|https?|fetch|ftplib|smtplib|paramiko|pty|eval|compile|__import__|importlib|getattr|globals|__builtins__|b64decode|base64|fromhex|fromCharCode|atob|unescape|decode|chr|pickle|marshal|writeFile\w*|write_text|write_bytes|createWriteStream|appendFile\w*|copyFile\w*|FileUtils|Deno|Bun|Function|constructor|vm|setuid|putenv|File\.(?:write|delete|open)|IO\.popen)\b|open\s*\([^)]*,\s*(?:mode\s*=\s*)?["'][^"']*[wax+]|\.rm\s*\(|[`]|\\x[0-9a-f]{2}|\\[0-7]{3}|%x[({[]|do shell script|process\.(?:binding|kill|exit)/

/** The interpreter that a program is, `python3.12` included. */
export function interpreter(name: string): string | undefined {
  const known = name
    .replace(/^(pypy|ipython)/, 'python')
    .replace(/^nodejs$/, 'node')
    .replace(/^[gmn]awk$/, 'awk')
  const base = known.replace(/[\d.]+$/, '')
  return Object.hasOwn(INTERPRETERS, base) ? base : undefined
}

/** The code that a command gives to an interpreter; undefined when it gives none. */
export function extractCode({ name, args, input }: Command): string | undefined {
  const base = interpreter(name)
  if (base === undefined) return undefined
  if (base === 'awk') return args.find((word) => !word.startsWith('-'))
  const module = base === 'python' ? args[args.indexOf('-m') + 1] : undefined
  if (args.includes('-m') && /^(timeit|cProfile|profile|trace|pdb|code)$/.test(module ?? '')) return args.join('\n')
  const joined = args.find((word) => /^-(c|e|r)./.test(word) && /["'(;\s]/.test(word))
  const given = after(args, INTERPRETERS[base] as RegExp) ?? joined?.slice(2)
  if (given !== undefined) return given
  const reads = args.length === 0 || args[0] === '-' || args[0] === '/dev/stdin'
  return reads ? input : undefined
}

/** Whether code does more than compute and print, as far as its words tell. */
export function reachesOut(code: string, base: string): boolean {
  if (isUnknown(code)) return true
  if (base === 'awk') return /\bsystem\s*\(|\|\s*getline|\|\s*"|print[^;}]*>\s*"(?!\/dev\/std)/.test(code)
  const inPlain = base === 'node' ? code.replace(/`[^`$]*`/g, '') : code
  return REACHES.test(inPlain)
}

/** What a file that a session wrote is asked about: most files compute, so only what deletes or runs others counts. */
const HARMS =
  /\b(?:rmtree|rmSync|rm_rf|rm_r|rimraf|unlink\w*|rmdir\w*|removedirs|os\.remove|remove_tree|remove_dir_all|fs\.rm|promises\.rm|truncate|os\.system|popen|subprocess|execSync|exec[vlF]\w*|spawn\w*|child_process|execa|\$`|zx|syscall|ctypes|os\.kill|process\.kill|pty|FileUtils|Deno\.(?:remove|Command|run)|Bun\.(?:spawn|\$)|shell_exec|passthru|proc_open|chmod|chown|setuid|SVC_HOME|b64decode|fromCharCode|atob|__import__)\b|\beval\s*\(|\bsystem\s*[( ]|%x[({[]|\bexec\s*\(|new Function\s*\(/

/** Whether the code of a file deletes, or runs other programs. */
export function harmsByFile(code: string): boolean {
  return HARMS.test(code)
}

/** Texts in quotes. */
export function listLiterals(code: string): string[] {
  return [...code.matchAll(/"((?:[^"\\\n]|\\.){1,2000})"|'((?:[^'\\\n]|\\.){1,2000})'|`([^`]{1,2000})`/g)]
    .slice(0, 200)
    .map(([, double, single, back]) => double ?? single ?? back ?? '')
}
