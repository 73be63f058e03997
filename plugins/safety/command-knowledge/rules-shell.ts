/** Commands of the shell itself, and commands that run others. */
import { statSync } from 'node:fs'
import { posix } from 'node:path'
import { readCall } from './call.ts'
import { type Invocation, type Outcome, same } from './outcome.ts'
import type { Rule } from './rules.ts'
import { ANY, type Argument, PATHS, TOKEN } from './values.ts'
import type { Walk } from './walk.ts'

const NOT_HERE: Rule = { run: (walk, { known }) => walk.refuse(`the command ${known.name}`) as undefined }

/** The options of a wrapper, then `own` words, then the command. */
function runWrapped(walk: Walk, call: Invocation, own: number): Outcome {
  const { end, unknown } = readCall(call.known, call.args, 'operand')
  for (const phrase of unknown) walk.refuse(phrase)
  return walk.inner(call.args.slice(end + own), call)
}

function setVariables(walk: Walk, { args, state, known }: Invocation): Outcome {
  let now = state
  for (const { text, loose } of args) {
    const [, name, , value] = /^([A-Za-z_]\w*)(=([\s\S]*))?$/.exec(text) ?? []
    if (loose || (!name && !/^-[rix]$/.test(text)) || (known.name === 'declare' && args.length === 1 && !name))
      walk.refuse(`the command ${known.name} as it is used`)
    else if (name && value !== undefined) now = walk.assign(now, name, value)
  }
  if (!args.some(({ text }) => text.includes('=')))
    walk.check(
      args.length && args.every(({ text }) => /^[A-Za-z_]/.test(text))
        ? undefined
        : `the command ${known.name} as it is used`,
    )
  return same(now)
}

function changeFolder(walk: Walk, { operands, state }: Invocation): Outcome {
  const [target] = operands
  if (target === undefined || target === '-' || /[\ue000-\ue002]/.test(target)) {
    walk.refuse('a folder that is not known before it runs')
    return same(state)
  }
  const { paths } = walk.world
  const real = paths.real(target, state.cwd)
  const written = posix.normalize(posix.resolve(state.cwd, target))
  if (!paths.isInProject(real)) walk.refuse(`a folder outside the project: ${target}`)
  // A shell resolves `..` from the link, not from its target.
  else if (target.split('/').includes('..') && paths.real(written, '/') !== real)
    walk.refuse(`the folder ${target}, which leads through a link`)
  const exists = statSync(real, { throwIfNoEntry: false })?.isDirectory() === true
  return { yes: [{ ...state, cwd: real }], no: exists ? [] : [state] }
}

function test(walk: Walk, { args, known }: Invocation): undefined {
  const isNumeric = args.some(({ text }) => /^-(?:eq|ne|lt|le|gt|ge)$/.test(text))
  for (const { text, loose } of args) {
    if (text === '-v' || text === '-R') walk.refuse(`the test ${text}`)
    // Numbers are arithmetic, which may run what is in brackets.
    if (isNumeric && (text.includes(ANY) || (/[[$`]/.test(text) && text !== '[' && text !== '[[')))
      walk.refuse('a comparison of numbers that are not known')
    if (loose && known.name !== '[[' && /[[]/.test(text)) walk.refuse('a test of what is not known')
  }
  return undefined
}

function runFed(walk: Walk, call: Invocation): Outcome {
  const { end, unknown, given } = readCall(call.known, call.args, 'operand')
  for (const phrase of unknown) walk.refuse(phrase)
  const { input } = call
  const more: Argument =
    input === PATHS
      ? { text: PATHS, loose: false }
      : input === TOKEN
        ? { text: TOKEN, loose: false }
        : { text: ANY, loose: true }
  const command = call.args.slice(end)
  const sign = given.get('-I')?.[0] ?? given.get('-J')?.[0] ?? (given.has('--replace') ? '{}' : undefined)
  if (sign === undefined)
    return walk.run([...(command.length ? command : [{ text: 'echo', loose: false }]), more], call.state)
  const placed = command.map((each) =>
    each.text === sign ? { ...more, loose: false } : each.text.includes(sign) ? { text: ANY, loose: false } : each,
  )
  return walk.run(placed, call.state)
}

function environment(walk: Walk, call: Invocation): Outcome {
  const start = call.args.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text))
  const assigns = start < 0 ? call.args : call.args.slice(0, start)
  const given = new Map(call.assigned)
  for (const { text } of assigns) {
    const [name = '', value = ''] = [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]
    walk.assign(call.state, name, value)
    given.set(name, value)
  }
  const rest = start < 0 ? [] : call.args.slice(start)
  if (!rest.length || rest[0]?.text.startsWith('-')) {
    walk.refuse(rest.length ? `the option ${rest[0]?.text} of env` : 'a list of all variables, which may hold secrets')
    return same(call.state)
  }
  return walk.run(rest, call.state, given)
}

/** A shell that runs a file; its text is not read. */
function shell(walk: Walk, { given, args, state, known }: Invocation): Outcome {
  if (given.has('--version')) return same(state)
  const { end } = readCall(known, args, 'operand')
  const [file, ...rest] = args.slice(end)
  const [text, ...more] = given.get('-c') ?? []
  if (text !== undefined) {
    // A subshell: its variables are lost afterwards.
    if (file || more.length || known.name === 'fish' || /[\ue000-\ue002]/.test(text))
      walk.refuse(`text that ${known.name} runs`)
    else walk.text(text, { cwd: state.cwd, variables: new Map() })
  } else if (!file || file.text === '-') walk.refuse(`text that ${known.name} runs`)
  else if (given.has('-n')) walk.accept('read', file.text, state, '')
  else {
    walk.script(file.text, state)
    walk.checkAll('arg', rest, state)
  }
  return same(state)
}

export const SHELL_RULES: Readonly<Record<string, Rule>> = {
  never: NOT_HERE,
  activate: {
    run: (walk, { operands: [file = ''], state, known }) => {
      if (!/^(?:\.\/)?\.?venv\/bin\/activate$/.test(file)) walk.refuse(`the command ${known.name}`)
      walk.script(file, state)
      return undefined
    },
  },
  cd: { run: changeFolder },
  popd: {
    run: (walk, { state }) => {
      walk.refuse('a folder that is not known before it runs')
      return same(state)
    },
  },
  leave: { run: () => ({ yes: [], no: [] }) },
  export: { own: true, run: setVariables },
  unset: {
    run: (walk, { operands, state }) => same(operands.reduce((now, name) => walk.assign(now, name, ANY), state)),
  },
  read: {
    run: (walk, { operands, state, input }) =>
      same(
        operands.reduce((now, name) => walk.assign(now, name, input === PATHS || input === TOKEN ? input : ANY), state),
      ),
  },
  set: {
    own: true,
    run: (walk, { args }) => {
      const isPlain =
        args.length > 0 &&
        args.every(({ text }) => /^-[eux]+$|^-o$|^-[eux]*o$|^pipefail$|^errexit$|^nounset$/.test(text))
      return walk.check(isPlain ? undefined : 'the command set as it is used') as undefined
    },
  },
  printf: {
    own: true,
    run: (walk, { args: [format] }) =>
      walk.check(format && !/^-|^[\ue000-\ue002]/.test(format.text) ? undefined : 'printf as it is used') as undefined,
  },
  test: { own: true, run: test },
  command: {
    own: true,
    run: (walk, call) => (/^-[vV]$/.test(call.args[0]?.text ?? '') ? same(call.state) : runWrapped(walk, call, 0)),
  },
  prefix: { own: true, run: (walk, call) => runWrapped(walk, call, 0) },
  prefixOne: { own: true, run: (walk, call) => runWrapped(walk, call, 1) },
  watch: {
    own: true,
    run: (walk, call) => {
      const { end } = readCall(call.known, call.args, 'operand')
      const words = call.args.slice(end)
      const [only] = words
      if (words.length === 1 && only && /\s/.test(only.text)) walk.text(only.text, call.state)
      else runWrapped(walk, call, 0)
      return same(call.state)
    },
  },
  env: { own: true, run: environment },
  printenv: {
    run: (walk, { operands }) => {
      if (!operands.length) walk.refuse('a list of all variables, which may hold secrets')
      for (const name of operands)
        if (
          !/^(?:PATH|HOME|PWD|USER|SHELL|LANG|TERM|NODE_ENV|VIRTUAL_ENV|CI|EDITOR|LC_\w+|TZ|HOSTNAME|GOPATH|JAVA_HOME|NODE_OPTIONS)$/.test(
            name,
          )
        )
          walk.refuse(`the variable ${name}, which may hold a secret`)
      return undefined
    },
  },
  xargs: { own: true, run: runFed },
  shell: { own: false, run: shell },
  single: {
    run: (walk, { known, operands }) =>
      walk.check(
        operands.every((word) => /^[\w.:/@-]*$/.test(word)) &&
          !operands.some((word) =>
            /^(?:set|set-.*|add|del|delete|edit|install|remove|up|down|flush|startproject|startapp|-w|-u)$/.test(word),
          )
          ? undefined
          : `${known.name} as it is used`,
      ) as undefined,
  },
  kill: {
    own: true,
    run: (walk, { args }) => {
      const isPlain = ({ text }: Argument, at: number) =>
        /^(?:[1-9]\d*|%\d+|\ue001|-0)$/.test(text) ||
        (at === 0 && /^-(?:(?!KILL|SIGKILL)[A-Z]+|(?!9$)1?[0-9]|l)$/.test(text))
      const isAll = args.some(({ text }, at) => at > 0 && text === '-1')
      return walk.check(
        args.length > 0 && args.every(isPlain) && !isAll ? undefined : 'kill as it is used',
      ) as undefined
    },
  },
}
