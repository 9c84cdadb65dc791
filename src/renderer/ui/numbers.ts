/** Made once: a formatter costs more than what it formats. */
const format = new Intl.NumberFormat('en')

/** 12,408 */
export function grouped(number: number): string {
  return format.format(number)
}

/** 1 session, 12,408 sessions: a number with its word. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return number === 1 ? `1 ${one}` : `${grouped(number)} ${many}`
}
