import type { Cents } from './types.js'

// formatCents gives 1234 as 12.34.
export function formatCents(cents: Cents): string {
  const sign = cents < 0 ? '-' : ''
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

// isCents tells whether it is an amount of money that something may cost.
export function isCents(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
