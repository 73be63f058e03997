/**
 * The one error class. `code` is stable and documented (each owner lists its codes in an `errors.ts`);
 * `message` is a sentence for people with what to do; `status` is the HTTP status.
 * @since 0.1
 */
export class SvcError extends Error {
  readonly code: string
  readonly status: number
  /** The field of a request that the error is about, as a path: `messages[0].role`. */
  readonly param: string | undefined
  /** The next start of svc repairs what the error is about: what had not begun can be tried once more then. */
  readonly repairedAtStart: boolean
  /** Continuing would let anyone in: a program that serves others must not run without the part that failed. */
  readonly exposes: boolean

  /** True for errors of every copy of the SDK in the process. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isOurs = value instanceof Error && value.name === 'SvcError' && 'code' in value && 'repairedAtStart' in value
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one asks for its own instances.
    return this === SvcError ? isOurs : Function.prototype[Symbol.hasInstance].call(this, value)
  }

  constructor(
    code: string,
    message: string,
    options: { status?: number; cause?: unknown; param?: string; repairedAtStart?: boolean; exposes?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'SvcError'
    this.code = code
    this.status = options.status ?? 500
    this.param = options.param
    this.repairedAtStart = options.repairedAtStart ?? false
    this.exposes = options.exposes ?? false
  }
}

/**
 * Codes of one owner with a sentence each on what happened and what to do. The default export of an `errors.ts`.
 * @since 0.2
 */
export type ErrorMessages = Readonly<Record<string, string>>

/**
 * The documented code of an error, or `INTERNAL` for one that is not ours. Works across copies of the SDK.
 * @since 0.1
 */
export function errorCode(error: unknown): string {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }
  return name === 'SvcError' && typeof code === 'string' ? code : 'INTERNAL'
}

/** The message of an error, whatever was thrown. @since 0.1 */
export function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  const message = (error as { message?: unknown } | undefined)?.message
  return typeof message === 'string' ? message : String(error)
}
