/** For signing in: the steps of a flow, attempts that a front end drives, and accounts that a phone has. */
export type { AmbientIdentity } from '../credentials.ts'
export type { PhoneLink, PhoneLinking } from '../platforms.ts'
export {
  type SignInAttempt,
  type SignInCodeStep,
  type SignInCommandStep,
  type SignInPerson,
  type SignInState,
  type SignInStatus,
  type SignInStep,
  SignIns,
  type SignInUrlStep,
} from '../sign-ins.ts'
