import { type Ctx, type Refusal, refusalBody } from '../bridge/http/answer.ts'

export const goTo = (ctx: Ctx, place: string): void => {
  ctx.redirect(place)
  ctx.status = 303
}

export const refuse = (ctx: Ctx, refusal: Refusal): void => {
  ctx.status = refusal.status
  ctx.set({ ...refusal.headers })
  ctx.body = refusalBody('console', refusal)
}
