/** For guards: decisions, consents, guarded files, checkpoints, seals, and the folders that only svc writes. */
export {
  Access,
  type AccessAction,
  type AccessDecision,
  type AccessRole,
  isOperator,
  type PairedUser,
  type PairingRequest,
  PairingRequested,
} from '../access.ts'
export type { ApprovalHandler } from '../approvals.ts'
export {
  AUDIT_SEVERITIES,
  type AuditComponent,
  type AuditFinding,
  type AuditKind,
  type AuditList,
  type AuditReport,
  type AuditSeverity,
  type AuditSource,
  AuditSources,
  SecurityAudit,
} from '../audits.ts'
export {
  type BudgetLimits,
  type BudgetScope,
  Budgets,
  type CallEstimate,
  type Reservation,
  type UsageColumn,
  type UsageSummary,
  type UsageTotals,
  type WorkBudget,
  type WorkEstimate,
} from '../budgets.ts'
export { type Claim, listClaims } from '../claims.ts'
export { type ConsentChange, type ConsentState, type ConsentSubject, Consents } from '../consents.ts'
export {
  type FileBytes,
  type FileChange,
  type FileContent,
  type FileSession,
  type FileSnapshot,
  GuardedFiles,
  type LocatedPaths,
  type ReadableFolder,
  ReadableFolders,
  type ResolvedPath,
} from '../files.ts'
export {
  containsSvcHome,
  type FileOperation,
  findSecretLocation,
  findSvcLocation,
  isEnvironmentFile,
  listSecretLocations,
  type SecretLocation,
  type SvcLocation,
} from '../locations.ts'
export { BeforePluginInstall, type PluginInstallation, type SdkNames, type SdkRename } from '../plugins.ts'
export type { QuestionForm, QuestionHandler } from '../questions.ts'
export { Seals } from '../seals.ts'
export { explainWeakSecret } from '../secrets.ts'
export { listUntrustedOrigins, markUntrusted, stripUntrustedMark } from '../untrusted.ts'
export { type DecisionKind, parseDecision, strictestDecision, type ToolDecisionResult } from '../verdict.ts'
