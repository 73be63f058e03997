/** For the dashboard: its routes, WebSockets, files and pages, views that it shares with the terminal UI, and the server itself. */
export {
  DASHBOARD_METHODS,
  DASHBOARD_VARIABLES,
  Dashboard,
  type DashboardAuth,
  type DashboardClient,
  DashboardFiles,
  type DashboardFolder,
  DashboardLogin,
  type DashboardOptions,
  type DashboardReply,
  type DashboardRequest,
  type DashboardRoute,
  DashboardRoutes,
  type DashboardSecret,
  type DashboardSocket,
  DashboardSockets,
  type DashboardVisit,
  dashboardReply,
  defineDashboardRoute,
  type SecretUse,
  type ServedDashboard,
} from '../dashboard.ts'
export {
  type DashboardPage,
  type DashboardPageClient,
  type DashboardPageMount,
  type DashboardPageState,
  DashboardPages,
} from '../dashboard-pages.ts'
export {
  isViewBlocks,
  type SharedView,
  type SharedViewPlace,
  SharedViews,
  type ViewBlock,
  type ViewTone,
} from '../shared-views.ts'
