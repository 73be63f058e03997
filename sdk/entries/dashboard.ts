/** For the dashboard: its routes, WebSockets and files, and the server itself. */
export {
  DASHBOARD_METHODS,
  DASHBOARD_VARIABLES,
  Dashboard,
  type DashboardAuth,
  DashboardFiles,
  type DashboardFolder,
  type DashboardOptions,
  type DashboardReply,
  type DashboardRequest,
  type DashboardRoute,
  DashboardRoutes,
  type DashboardSocket,
  DashboardSockets,
  dashboardReply,
  defineDashboardRoute,
  type ServedDashboard,
} from '../dashboard.ts'
