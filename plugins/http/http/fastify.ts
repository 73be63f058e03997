/** The library that routes requests and reads bodies: a file of its own, which is read when something listens. */
import { fastify as makeRouter } from 'fastify'

export const fastify: typeof makeRouter = makeRouter
