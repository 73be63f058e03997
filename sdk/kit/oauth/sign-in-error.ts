/** How sign-ins fail, as codes. */
import { errorCode, SvcError } from '../../errors.ts'

/**
 * `SIGN_IN_ENDED`: nothing but a new sign-in helps; `SIGN_IN_DENIED`, `SIGN_IN_EXPIRED`: of an attempt; `SIGN_IN_FAILED`: another
 * reason, and trying again may help.
 * @since 0.2
 */
export type SignInErrorCode = 'SIGN_IN_DENIED' | 'SIGN_IN_ENDED' | 'SIGN_IN_EXPIRED' | 'SIGN_IN_FAILED'

/** @since 0.2 */
export function signInError(code: SignInErrorCode, message: string, cause?: unknown): SvcError {
  return new SvcError(code, message, cause === undefined ? {} : { cause })
}

/** Whether a renewal failed in a way that no retry mends. @since 0.2 */
export function isEndedSignIn(error: unknown): boolean {
  return errorCode(error) === 'SIGN_IN_ENDED'
}
