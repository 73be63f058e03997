/** Commands that run other commands: what is left when `sudo`, `env`, `nohup`, `xargs` and the like are taken off. */

const MAX_SPLIT = 4096

/** How a wrapper's own arguments end. */
interface Wrapper {
  /** Letters of short options that take a value. */
  readonly values?: string
  /** Long options that take a value in the next word. */
  readonly long?: readonly string[]
  /** Its own arguments before the command. */
  readonly own?: number
  /** `NAME=value` may stand before the command. */
  readonly assigns?: true
}

/** Those without options that matter. */
const PLAIN =
  'nohup setsid proxychains torsocks torify tsocks chronic ifne catchsegv unbuffer command builtin unshare busybox toybox rlwrap bunx noglob nocorrect'
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  ...createWrappers(PLAIN, {}),
  ...createWrappers('chrt taskset chroot gosu', { own: 1 }),
  sudo: {
    values: 'ughpCrtTUDR',
    long: ['--user', '--group', '--host', '--prompt', '--chdir', '--role', '--type'],
    assigns: true,
  },
  doas: { values: 'uC' },
  pkexec: { long: ['--user'] },
  run0: { long: ['--user', '--unit'] },
  env: { values: 'uC', long: ['--unset', '--chdir'], assigns: true },
  time: { values: 'fo' },
  nice: { values: 'n', long: ['--adjustment'] },
  ionice: { values: 'cnp' },
  timeout: { values: 'sk', long: ['--signal', '--kill-after'], own: 1 },
  stdbuf: { values: 'ioe' },
  exec: { values: 'a' },
  nsenter: { values: 'tSG', long: ['--target', '--setuid', '--setgid'] },
  'xvfb-run': { values: 'enfps' },
  strace: { values: 'eopsPuE' },
  ltrace: { values: 'eopsu' },
  flock: { values: 'wE', own: 1 },
  caffeinate: { values: 'tw' },
  'systemd-run': { values: 'pu', long: ['--unit', '--property', '--slice'] },
  xargs: { values: 'IndPELsa', long: ['--max-args', '--max-procs', '--delimiter', '--replace', '--arg-file'] },
  parallel: { values: 'jIaN', long: ['--jobs', '--arg-file'] },
  npx: { values: 'p', long: ['--package'] },
  setpriv: {},
  prlimit: {},
  firejail: {},
  cpulimit: { values: 'lpPe' },
  runcon: { values: 'turl', long: ['--type', '--user', '--role', '--range'] },
  fakeroot: { values: 'lsib' },
  'dbus-run-session': {},
  'cross-env': { assigns: true },
  'flatpak-spawn': {},
}

function createWrappers(names: string, wrapper: Wrapper): Readonly<Record<string, Wrapper>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, wrapper]))
}

/** Words without their wrappers, and the wrappers with their options, outermost first. */
export interface Unwrapped {
  readonly words: readonly string[]
  readonly wrappers: readonly (readonly string[])[]
  readonly assigned: readonly (readonly [name: string, value: string])[]
}

/** Takes wrappers and assignments off the front. */
export function unwrap(words: readonly string[]): Unwrapped {
  const wrappers: string[][] = []
  const assigned: [string, string][] = []
  let rest = takeAssignments(words, assigned)
  for (let name = getProgramName(rest[0] ?? ''); Object.hasOwn(WRAPPERS, name); name = getProgramName(rest[0] ?? '')) {
    const wrapper = WRAPPERS[name] as Wrapper
    const end = endOfOptions(rest, wrapper)
    const inner = rest.slice(end)
    const own = [name, ...rest.slice(1, end)]
    // `env` and `time` alone are commands; `command -v x` only looks something up.
    if (!inner.length || (name === 'command' && /^-[vV]/.test(rest[1] ?? ''))) break
    wrappers.push(own)
    rest = wrapper.assigns ? takeAssignments(inner, assigned) : inner
    if (name === 'env') rest = takeAssignments(splitString(own, rest), assigned)
  }
  return { words: rest, wrappers, assigned }
}

/** The file name of a command word, lower-case: `/bin/RM` runs rm on a Mac. */
export function getProgramName(word: string): string {
  const name = word.slice(word.lastIndexOf('/') + 1).toLowerCase()
  return name.endsWith('.exe') ? name.slice(0, -4) : name
}

function takeAssignments(words: readonly string[], assigned: [string, string][]): readonly string[] {
  let at = 0
  for (; at < words.length; at++) {
    const [, name, value = ''] = /^([A-Za-z_]\w*)\+?=([\s\S]*)$/.exec(words[at] as string) ?? []
    if (name === undefined) break
    assigned.push([name, value])
  }
  return at ? words.slice(at) : words
}

function endOfOptions(words: readonly string[], { values = '', long = [], own = 0 }: Wrapper): number {
  let at = 1
  for (; at < words.length; at++) {
    const word = words[at] as string
    if (word === '--') {
      at++
      break
    }
    if (!word.startsWith('-') || word === '-') break
    if (long.includes(word)) at++
    // `-u name` takes the next word, `-uname` does not.
    else if (!word.startsWith('--') && values.includes(word.at(-1) as string)) at++
  }
  return Math.min(words.length, at + own)
}

/** `env -S "rm -rf x"` splits a text into words, with its quotes. */
function splitString(own: readonly string[], rest: readonly string[]): readonly string[] {
  const option = /^(-[a-z]*S|--split-string=?)/
  const word = own.find((each) => option.test(each))
  if (word === undefined) return rest
  const joined = word.replace(option, '')
  const [text = '', ...more] = joined ? [joined, ...rest] : rest
  return [...splitWords(text), ...more]
}

function splitWords(text: string): string[] {
  return [...text.slice(0, MAX_SPLIT).matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\_|\\(.)/g, (whole, double, single, escaped) =>
      whole === '\\_' ? ' ' : (double?.replace(/\\(.)/g, '$1') ?? single ?? escaped),
    ),
  )
}
