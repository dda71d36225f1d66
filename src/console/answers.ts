export type { OperationEnd, OperationLine } from './line-queue.ts'
export type { PersonAnswer, PersonBody } from './pages/privacy/person.ts'
