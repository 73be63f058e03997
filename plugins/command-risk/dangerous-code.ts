/** Patterns about code: what is downloaded and run, hidden, pushed over others' work, or cannot be looked into. */
import { codeOf, interpreter, reachesOut } from './code.ts'
import { isUnknown } from './expand.ts'
import { isShell } from './nested.ts'
import type { Command } from './normalise.ts'
import { has, operands, option } from './options.ts'
import { type Pattern, subcommand, verbs } from './pattern.ts'

const FETCHERS = /^(curl|wget|fetch|aria2c|http|https|lynx|nc|ncat|invoke-webrequest|iwr|irm)$/

export const codePatterns: readonly Pattern[] = [
  {
    name: 'download-and-run',
    why: 'runs what it downloads',
    matches: (command, { commands }) =>
      (runsInput(command) && chain(command).some(({ name }) => FETCHERS.test(name))) ||
      (/^(bash|sh|zsh|source|\.|eval|python\d*|node|perl|ruby|iex|invoke-expression)$/.test(command.name) &&
        (command.args.some((word) => word.startsWith('/dev/fd/') || isUnknown(word)) || command.name === 'iex') &&
        commands.some(({ name }) => FETCHERS.test(name))),
  },
  {
    name: 'decode-and-run',
    why: 'runs text that was encoded',
    matches: (command) =>
      runsInput(command) &&
      chain(command).some(({ name }) =>
        /^(base64|base32|basenc|xxd|openssl|gunzip|gzip|zcat|uudecode|rev|tr|gpg)$/.test(name),
      ),
  },
  {
    name: 'piped-shell',
    why: 'hands text to a shell that cannot be looked into',
    matches: (command) =>
      isShell(command.name) &&
      ((command.from !== undefined && command.input === undefined && readsInput(command)) ||
        command.args.some((word) => word.startsWith('/dev/fd/') || word === '/dev/stdin')),
  },
  {
    name: 'unknown-script',
    why: 'runs text that is made up while it runs',
    matches: ({ name, args }) =>
      (isShell(name) && args.some((word, at) => /^-[a-zA-Z]*c$/.test(word) && isUnknown(args[at + 1] ?? ''))) ||
      (/^(eval|source|\.)$/.test(name) &&
        args.some((word) => isUnknown(word) || word.startsWith('/dev/fd/')) &&
        !/^(\.|source)$/.test(name)) ||
      (name === 'source' && args.some((word) => word.startsWith('/dev/fd/'))) ||
      (name === '.' && args.some((word) => word.startsWith('/dev/fd/'))),
  },
  {
    name: 'unknown-command',
    why: 'runs a program whose name is made up while it runs',
    matches: ({ name }) => isUnknown(name) || (name.length > 1 && /[*?]|\[.*\]/.test(name) && name !== '[['),
  },
  {
    name: 'inline-code',
    why: 'runs code that reaches beyond its own process',
    matches: (command) => {
      const base = interpreter(command.name)
      const code = base && codeOf(command)
      return base !== undefined && code !== undefined && reachesOut(code, base)
    },
  },
  {
    name: 'piped-code',
    why: 'hands text to an interpreter that cannot be looked into',
    matches: (command) => {
      const base = interpreter(command.name)
      return (
        base !== undefined &&
        base !== 'awk' &&
        command.from !== undefined &&
        command.input === undefined &&
        (command.args.length === 0 || command.args[0] === '-')
      )
    },
  },
  {
    name: 'encoded-powershell',
    why: 'runs an encoded script',
    matches: ({ name, args }) =>
      /^(pwsh|powershell)$/.test(name) && args.some((word) => /^-e(nc|ncodedcommand|c)?$/i.test(word)),
  },
  {
    name: 'fresh-program',
    why: 'makes a file runnable and runs it at once',
    matches: ({ name, args }, { commands }) =>
      name === 'chmod' &&
      args.some((word) => /^[ugoa]*\+[rwX]*x|^0?[0-7]*[1357][0-7]{0,2}$/.test(word)) &&
      operands(args)
        .slice(1)
        .some((file) => commands.some((other) => ran(other, file))) &&
      commands.some(
        (other) =>
          FETCHERS.test(other.name) ||
          other.redirects.some(({ operator, target }) => operator.startsWith('>') && args.includes(target)),
      ),
  },
  {
    name: 'escape-from-tool',
    why: 'has a harmless program run another one',
    matches: ({ name, args, wrappers }) =>
      (name === 'tar' &&
        args.some((word) => /^--(checkpoint-action|to-command|use-compress-program|rsh-command)/.test(word))) ||
      (name === 'git' &&
        args.some(
          (word, at) =>
            /^-c$/.test(args[at - 1] ?? '') &&
            /^(core\.(sshcommand|editor|pager|hookspath|fsmonitor)|alias\.[^=]*=!|.*\.(helper|process|textconv)=)/i.test(
              word,
            ),
        )) ||
      (/^(vi|vim|nvim|ex)$/.test(name) &&
        args.some((word) => /^(-c|\+|--cmd)?:?!/.test(word) || /system\(/.test(word))) ||
      (/^(rsync|scp)$/.test(name) &&
        args.some(
          (word) =>
            /ProxyCommand|^-e$|--rsh=/.test(word) &&
            args.some((each) => /\bsh\b|rm\s/.test(each) && !/^ssh\b/.test(each)),
        )) ||
      (name === 'ssh' && /ProxyCommand|LocalCommand/i.test(args.join(' '))) ||
      wrappers.some(([wrapper]) => wrapper === 'chroot' || wrapper === 'unshare'),
  },
  {
    name: 'preload',
    why: 'loads foreign code into the program that it starts',
    matches: ({ name, args }) =>
      /^(export|env|declare)$/.test(name) &&
      args.some((word) =>
        /^(LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND|GIT_SSH_COMMAND)=/.test(word),
      ),
  },
  {
    name: 'alias',
    why: 'gives a common command another meaning',
    matches: ({ name, args }) =>
      name === 'alias' && args.some((word) => /^(ls|cd|sudo|git|cat|rm|cp|mv|ssh|echo|grep)=/.test(word)),
  },
  {
    name: 'git-reset-hard',
    why: 'throws away changes that are not committed',
    matches: (command) =>
      (gitVerb(command, /^reset$/) && option(command.args, '', ['--hard', '--merge'])) ||
      (gitVerb(command, /^(checkout|restore)$/) &&
        (has(command.args, '.') || has(command.args, ':/') || option(command.args, 'f', ['--force'])) &&
        !has(command.args, '--staged')) ||
      (gitVerb(command, /^switch$/) && option(command.args, 'f', ['--discard-changes', '--force'])),
  },
  {
    name: 'git-clean',
    why: 'deletes files that git does not know',
    matches: (command) =>
      gitVerb(command, /^clean$/) &&
      option(command.args, 'f', ['--force']) &&
      !option(command.args, 'n', ['--dry-run']),
  },
  {
    name: 'git-force-push',
    why: 'overwrites or deletes what others have pushed',
    matches: (command) =>
      gitVerb(command, /^push$/) &&
      (option(command.args, 'fd', ['--force', '--force-with-lease', '--mirror', '--delete', '--prune']) ||
        command.args.some((word) => /^\+\S|^:\S/.test(word))),
  },
  {
    name: 'git-delete',
    why: 'deletes branches, stashes, worktrees or history',
    matches: (command) =>
      (gitVerb(command, /^branch$/) &&
        (has(command.args, '-D') ||
          (option(command.args, 'd', ['--delete']) && option(command.args, 'f', ['--force'])))) ||
      verbs(command, 'git', /^stash$/, /^(drop|clear)$/) ||
      verbs(command, 'git', /^reflog$/, /^(expire|delete)$/) ||
      gitVerb(command, /^(filter-branch|filter-repo|update-ref)$/) ||
      (gitVerb(command, /^gc$/) && command.args.some((word) => /^--prune=(now|all)/.test(word))) ||
      (verbs(command, 'git', /^worktree$/, /^remove$/) && option(command.args, 'f', ['--force'])) ||
      (gitVerb(command, /^tag$/) && option(command.args, 'd', ['--delete'])),
  },
  {
    name: 'git-settings',
    why: 'changes git for every repository of the user',
    matches: (command) =>
      gitVerb(command, /^config$/) &&
      option(command.args, '', ['--global', '--system']) &&
      operands(command.args).length > 2,
  },
  {
    name: 'publish',
    why: 'publishes or withdraws packages for everybody',
    matches: (command) =>
      (subcommand(
        command,
        /^(npm|yarn|pnpm|bun|cargo|poetry|gem|twine|hatch|uv|flit)$/,
        /^(publish|unpublish|deprecate|yank|upload)$/,
      ) &&
        !has(command.args, '--dry-run')) ||
      verbs(command, 'gem', /^push$/) ||
      verbs(command, 'gh', /^(repo|release)$/, /^(delete|archive|rename)$/),
  },
  {
    name: 'force-install',
    why: 'installs software with the rights of the system or from an address',
    matches: ({ name, args }) =>
      /^pip\d*$/.test(name) &&
      args[0] === 'install' &&
      args.some((word) => /^--break-system-packages$|^(git\+)?https?:/.test(word)),
  },
]

function gitVerb({ name, args }: Command, verb: RegExp): boolean {
  if (name !== 'git') return false
  let at = 0
  while (args[at]?.startsWith('-')) at += /^(-C|-c|--git-dir|--work-tree)$/.test(args[at] ?? '') ? 2 : 1
  return verb.test(args[at] ?? '')
}

/** The commands that feed this one, nearest first. */
function chain(command: Command): Command[] {
  const found: Command[] = []
  for (let at = command.from; at && found.length < 20; at = at.from) found.push(at)
  return found
}

function readsInput({ args }: Command): boolean {
  return args.every((word) => /^-|^\/dev\/stdin$/.test(word)) || args.includes('-s')
}

function runsInput(command: Command): boolean {
  const { name, args } = command
  if (isShell(name)) return readsInput(command)
  if (/^(source|\.)$/.test(name)) return args[0] === '/dev/stdin'
  const base = interpreter(name)
  return base !== undefined && base !== 'awk' && (args.length === 0 || args[0] === '-')
}

function ran({ name, args }: Command, file: string): boolean {
  const base = file.slice(file.lastIndexOf('/') + 1).toLowerCase()
  return name === base || (isShell(name) && args.includes(file))
}
