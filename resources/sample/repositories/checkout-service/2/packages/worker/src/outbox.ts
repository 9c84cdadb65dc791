/** Webhooks that wait to be sent, oldest first. */
export const outbox = {
  push: (hook: Webhook) => db.insert('outbox', hook),
  take: (count: number) => db.many('delete from outbox where id in (select id from outbox order by id limit $1) returning *', [count]),
}
