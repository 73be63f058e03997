/** Shell commands: `svc <name> ...`. Plain data, from which parsing, help, completion and exit codes follow. */

import { checkMembers, type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'
import { SvcError } from './errors.ts'
import type { Registration } from './plugin.ts'

/**
 * An option, always a string or a flag: nothing is coerced, so `--id 0123` and phone numbers stay as typed.
 * @since 0.1
 */
export interface CliOption {
  /** `-q, --query <text>` takes a value, `--json` is a flag, `--tag <name...>` may be repeated. */
  readonly flags: string
  readonly description: string
}

/** The parsed command line. Options are keyed in camelCase. @since 0.2 */
export interface CliArguments {
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
}

/** Everything a command may touch of the outside. @since 0.2 */
export interface CliContext {
  out(text: string): void
  /**
   * Resolves once the reader of standard output has taken so much of what was written with `out` that more may follow. To be
   * awaited between the parts of a long output: without it all of the output waits in memory for a slow pipe.
   */
  drained(): Promise<void>
  err(text: string): void
  /** All of standard input as bytes; rejects with `INPUT_TOO_LARGE` past `limit`. Undefined when it is a terminal. */
  stdin(limit: number): Promise<Uint8Array | undefined>
  /**
   * The lines of standard input as they come, for a program at the other end; undefined stands for one over `maxBytes`, which is
   * left out. May be read once, and not together with `stdin` or `ask`.
   */
  lines(maxBytes: number): AsyncIterable<string | undefined>
  /**
   * One line from the terminal, or undefined at its end. At a terminal a line that was typed before the prompt was shown
   * does not answer it: it is kept for the next prompt with `typedAhead`.
   */
  ask(prompt: string, options?: CliAskOptions): Promise<string | undefined>
  /** Asks for a yes or a no where the command runs in a conversation, not at a terminal. `confirmCommand` calls it. */
  confirm?(question: string): Promise<boolean | undefined>
  /** Both standard input and output are terminals. */
  readonly interactive: boolean
  readonly color: boolean
  /** The streams themselves, when `interactive`: for a command that takes over the terminal. */
  readonly terminal?: {
    readonly input: NodeJS.ReadStream
    readonly output: NodeJS.WriteStream
    /** Output of `err` is held back until the registration is undone, so that nothing is written over a full screen. */
    hold(): Registration
  }
  readonly columns: number
  readonly cwd: string
  /** Aborted at the first Ctrl-C, unless `onInterrupt` takes it. */
  readonly signal: AbortSignal
  /**
   * Ends this run and begins the command once more in a fresh runtime, for an error with `repairedAtStart`, before anything was
   * done, shown or paid. Throws `error` when this is the second run. Left out where there is no other run.
   */
  restart?(error: unknown): never
  /**
   * While registered, Ctrl-C calls the listener instead: to stop one piece of work and continue.
   */
  onInterrupt(listener: () => void): Registration
}

/** Contributed to `CliCommands`. Either `run` or `subcommands`, or both. @since 0.1 */
export interface CliCommand extends Ordered {
  /** As in `cli` of `plugin.json`. */
  readonly name: string
  readonly description: string
  /** `<required> [optional] [rest...]`. */
  readonly arguments?: string
  readonly options?: readonly CliOption[]
  /** Shown by `--help`; without the leading `svc`. */
  readonly examples?: readonly string[]
  readonly subcommands?: readonly CliCommand[]
  /**
   * The exit code: 0 ok (also undefined), 1 failed, 2 wrong usage. A text is printed as a line, and the exit code is 0. A
   * thrown `SvcError` is printed and is 1.
   */
  run?(
    input: CliArguments,
    io: CliContext,
  ): number | string | undefined | void | Promise<number | string | undefined | void>
}
/** @since 0.1 */
export const CliCommands: ExtensionPoint<CliCommand> = extensionPoint('cli', (command) => command.name, undefined, {
  problem: checkMembers({ name: 'string', description: 'string', run: 'function?', subcommands: 'list?' }),
})

/** How `CliIo.ask` reads its line. @since 0.2 */
export interface CliAskOptions {
  /** Does not echo. */
  readonly secret?: boolean
  /** Takes lines that were pasted or typed before the prompt was shown, in their order. Never for a confirmation. */
  readonly typedAhead?: boolean
  /** Aborted: the answer is undefined. What a prompt with `typedAhead` holds so far is kept for the next one. */
  readonly signal?: AbortSignal
}

/**
 * Asks whether to continue with a step that is hard to revert, or with code that is to run. `options` are those that
 * were typed: `--yes` is a yes. Otherwise a person on a terminal is asked, after `show` has printed what it is about;
 * anything but `y` or `yes` is a refusal, and that is printed. Throws `CLI_CONFIRM` if no person can be asked: without a terminal,
 * and with `--json`, which is for programs.
 * @since 0.2
 */
export async function confirmCommand(
  io: CliContext,
  question: string,
  options: CliArguments['options'],
  show: () => void = () => {},
): Promise<boolean> {
  if (options['yes'] === true) return true
  if (io.confirm && options['json'] !== true) {
    show()
    const isYes = (await io.confirm(question)) === true
    if (!isYes) io.err('Nothing was changed.\n')
    return isYes
  }
  if (!io.interactive || options['json'] === true)
    throw new SvcError('CLI_CONFIRM', `${question} There is no terminal to ask on; add --yes to continue.`)
  show()
  const answer = (await io.ask(`${question} [y/N] `))?.trim().toLowerCase()
  if (answer === 'y' || answer === 'yes') return true
  io.err('Nothing was changed.\n')
  return false
}
