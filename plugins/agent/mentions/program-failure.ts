/** The error of a program that lists files or changes. */
import { SvcError } from 'svc/sdk'

export function failProgram(message: string, cause?: unknown): SvcError {
  return new SvcError('MENTION_PROGRAM', message, { cause })
}
