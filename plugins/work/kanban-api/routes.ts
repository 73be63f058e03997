/** All routes of the board. */
import type { ApiRoute } from 'svc/sdk/web'
import { attachmentRoutes } from './attachment-routes.ts'
import { boardListRoutes } from './board-list-routes.ts'
import { boardRoutes } from './board-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { homeChatRoutes } from './home-chat-routes.ts'
import { profileRoutes } from './profile-routes.ts'
import { reportRoutes } from './report-routes.ts'
import type { Context } from './route.ts'
import { runRoutes } from './run-routes.ts'
import { taskMoveRoutes } from './task-move-routes.ts'
import { taskRoutes } from './task-routes.ts'
import { workRoutes } from './work-routes.ts'

export function kanbanRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    ...boardRoutes(ctx),
    ...boardListRoutes(ctx),
    ...taskRoutes(ctx),
    ...taskMoveRoutes(ctx),
    ...attachmentRoutes(ctx),
    ...runRoutes(ctx),
    ...eventRoutes(ctx),
    ...workRoutes(ctx),
    ...profileRoutes(ctx),
    ...reportRoutes(ctx),
    ...homeChatRoutes(ctx),
  ]
}
