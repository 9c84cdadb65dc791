import { expect, it } from 'vitest'
import type { PermissionAsked } from '../../shared/agent-view.ts'
import { permissionChoices } from './permission-choices.ts'

const option = (id: string, kind: PermissionAsked['options'][number]['kind']) => ({ id, label: id, kind })
const order = (...options: PermissionAsked['options']) => {
  const choices = permissionChoices(options)
  return [choices.options.map(({ id }) => id).join(' '), choices.first]
}

it('offers to allow once first, and never what holds for good', () => {
  expect(
    order(option('yes', 'allow'), option('always', 'allow_always'), option('no', 'reject'), option('edit', 'other')),
  ).toEqual(['no edit always yes', 'yes'])
  expect(order(option('always', 'allow_always'), option('no', 'reject'))).toEqual(['always no', 'no'])
  expect(order(option('always', 'allow_always'), option('edit', 'other'))).toEqual(['edit always', undefined])
})

it('keeps all of the agent’s choices, those of one kind in the agent’s order', () => {
  expect(
    order(option('never', 'reject'), option('no', 'reject'), option('once', 'allow'), option('twice', 'allow')),
  ).toEqual(['never no twice once', 'once'])
  expect(order()).toEqual(['', undefined])
})
