/** `svc/sdk/kit/oauth`: what ways to sign in have in common. */

export {
  type DeviceCode,
  type DeviceGrant,
  type DevicePoll,
  requestDeviceCode,
  waitForDevice,
} from './device-code.ts'
export { createPkce, type Pkce } from './pkce.ts'
export { isEndedSignIn, type SignInErrorCode, signInError } from './sign-in-error.ts'
export {
  type OAuthDeps,
  postToken,
  readClaims,
  readTokens,
  type TokenAnswer,
  type TokenRequest,
} from './token-endpoint.ts'
