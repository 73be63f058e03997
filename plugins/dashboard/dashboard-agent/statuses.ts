/** HTTP statuses of what the services behind the routes refuse. */
export const STATUSES: Readonly<Record<string, number>> = {
  CRON_SCHEDULE: 400,
  CRON_NEVER: 400,
  CRON_INPUT: 400,
  CRON_AMBIGUOUS: 400,
  CRON_UNKNOWN: 404,
  CRON_REFUSED: 409,
  TOOLSETS_UNKNOWN: 404,
  TOOLSETS_CLOSED: 409,
  SKILL_NOT_FOUND: 404,
  SKILL_INVALID: 400,
  CONFIG_INVALID: 400,
  CONFIG_CHANGE_DENIED: 403,
}
