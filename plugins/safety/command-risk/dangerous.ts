/** What a person is asked about: the table of patterns, and which of them a script fits. */

import type { RiskHarm } from 'svc/sdk/shell'
import { codePatterns } from './dangerous-code.ts'
import { filePatterns } from './dangerous-files.ts'
import { secretPatterns } from './dangerous-secrets.ts'
import { sourcePatterns } from './dangerous-sources.ts'
import { svcPatterns } from './dangerous-svc.ts'
import { systemPatterns } from './dangerous-system.ts'
import { toolPatterns } from './dangerous-tools.ts'
import { isQuestion } from './hard-line.ts'
import type { Script } from './normalise.ts'
import type { Matchers, Pattern } from './pattern.ts'
import type { Command } from './walk.ts'

const matchers = {
  ...filePatterns,
  ...systemPatterns,
  ...codePatterns,
  ...toolPatterns,
  ...svcPatterns,
  ...secretPatterns,
  ...sourcePatterns,
  tangled: (_command, { tangled }) => tangled,
} satisfies Matchers

/** The rest of a sentence that starts with "It". */
const whys: Readonly<Record<keyof typeof matchers, string>> = {
  'recursive-delete': 'deletes folders and everything in them',
  'delete-system-file': 'deletes files of the system or of other programs',
  'delete-by-pattern': 'deletes every file that fits a wide pattern',
  'forced-delete': 'deletes without asking and hides what fails',
  'shred-files': 'overwrites files so that they cannot be restored',
  'find-delete': 'deletes every file that a search finds',
  'fed-delete': 'deletes the files that another command lists',
  'sync-delete': 'deletes what the other side does not have',
  'move-away': 'moves files to where they are lost',
  'truncate-file': 'empties files',
  'open-mode': 'lets everybody write to files',
  'recursive-mode': 'changes the rights of a whole tree',
  'set-user-id': 'makes a program run with the rights of its owner',
  'recursive-owner': 'changes the owner of a whole tree or gives files to root',
  'immutable-file': 'locks or unlocks files against every change',
  'block-device': 'works on a disk or a partition directly',
  'read-device': 'reads a disk past the rights of its files',
  'sensitive-write': 'changes files that decide what the system, a shell or another program does',
  'sensitive-read': 'reads private keys or passwords',
  'print-secrets': 'prints passwords, tokens or keys',
  'send-environment': 'sends the environment or the history to another machine',
  'foreign-remote': 'pushes to an address that is no remote of the repository',
  'foreign-package': 'installs or runs code from an address',
  'lasting-settings': 'changes settings by which other programs find or run code',
  'program-path': 'changes which programs or libraries later commands run',
  'unread-script': 'runs a file that this session wrote and that cannot be read',
  'forgotten-shell': 'may run what earlier commands defined, which is too much to be remembered',
  'send-secrets': 'sends private files to another machine',
  'unpack-to-root': 'unpacks an archive over files of the system',
  mount: 'changes what is mounted',
  'stop-service': 'stops, disables or changes a service of the system',
  'kill-many': 'ends processes that it picks by name, group or search',
  'kill-forced': 'ends processes without letting them save anything',
  'end-agent': 'runs or changes svc itself, or reaches into its folders',
  'shutdown-later': 'changes when the machine shuts down or sleeps',
  sudo: 'runs with the rights of another user',
  users: 'changes users, groups or passwords',
  firewall: 'changes the firewall or the network',
  kernel: 'changes the running kernel or how the machine starts',
  schedule: 'changes what runs on a schedule',
  clock: 'changes the clock or the time zone',
  'remove-packages': 'removes packages of the system',
  containers: 'stops or deletes containers, images or volumes',
  'container-host': 'gives a container the rights of the host',
  cluster: 'deletes or drains parts of a cluster or a cloud',
  'sql-delete': 'drops, empties or changes whole tables',
  'drop-database': 'deletes a data base or all of its keys',
  history: 'removes traces of what was done',
  registry: 'changes the registry or the boot of Windows',
  debugger: 'looks into or changes another process',
  listener: 'lets other machines in or opens a shell to them',
  'download-and-run': 'runs what it downloads',
  'decode-and-run': 'runs text that was encoded',
  'piped-shell': 'pipes unreviewed text into a shell',
  'unknown-script': 'runs text that is made up while it runs',
  'unknown-command': 'runs a program whose name is made up while it runs',
  'inline-code': 'runs code that reaches beyond its own process',
  'piped-code': 'hands text to an interpreter that cannot be looked into',
  'encoded-powershell': 'runs an encoded script',
  'fresh-program': 'makes a file runnable and runs it at once',
  preload: 'loads foreign code into the program that it starts',
  alias: 'gives a common command another meaning',
  'git-reset-hard': 'throws away changes that are not committed',
  'git-clean': 'deletes files that git does not know',
  'git-force-push': 'overwrites or deletes what others have pushed',
  'git-delete': 'deletes branches, stashes, worktrees or history',
  'git-settings': 'changes git for every repository of the user',
  publish: 'publishes or withdraws packages for everybody',
  'force-install': 'installs software with the rights of the system or from an address',
  'escape-from-tool': 'has a harmless program run another one',
  tangled: 'is too long or too deeply nested to be checked',
}

/** What is harmed; where a pattern is not named, the project. */
const harms: Readonly<Partial<Record<keyof typeof matchers, RiskHarm>>> = {
  ...of(
    'machine',
    'delete-system-file set-user-id immutable-file block-device read-device unpack-to-root mount stop-service kill-many',
    'kill-forced shutdown-later sudo users firewall kernel schedule clock remove-packages containers container-host',
    'registry debugger history force-install program-path',
  ),
  ...of('secrets', 'sensitive-read print-secrets'),
  ...of(
    'network',
    'send-secrets send-environment foreign-remote foreign-package download-and-run git-force-push publish',
  ),
  ...of('network', 'listener cluster drop-database'),
  ...of('svc', 'end-agent'),
}

function of(harm: RiskHarm, ...names: readonly string[]): Readonly<Record<string, RiskHarm>> {
  return Object.fromEntries(names.flatMap((line) => line.split(' ')).map((name) => [name, harm]))
}

/** All patterns. */
const patterns: readonly Pattern[] = (Object.keys(matchers) as (keyof typeof matchers)[]).map((name) => ({
  name,
  why: whys[name],
  harm: harms[name] ?? 'project',
  matches: matchers[name],
}))

/** A pattern and the commands that fit it. */
export interface Fit extends Pattern {
  readonly commands: readonly Command[]
}

/** The patterns that a script fits, each once, in the order of the table. */
export function dangers(script: Script): readonly Fit[] {
  if (script.tangled && !script.commands.length)
    return patterns.filter(({ name }) => name === 'tangled').map((pattern) => ({ ...pattern, commands: [] }))
  const commands = script.commands.filter((command) => !isQuestion(command))
  return patterns.flatMap((pattern) => {
    const fitting = commands.filter((command) => pattern.matches(command, script))
    return fitting.length ? [{ ...pattern, commands: fitting }] : []
  })
}
