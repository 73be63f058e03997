/** For signing in: the steps of a flow, and attempts that a front end drives. */
export type { AmbientIdentity } from '../credentials.ts'
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
