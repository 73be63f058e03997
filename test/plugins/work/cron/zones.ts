/** Zones that set their clocks at different dates and by different amounts. */
export const ZONES = [
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Casablanca',
] as const
