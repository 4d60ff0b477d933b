// Package deliveries is tests alone: Slack delivers events late, twice, shuffled and over
// links that break, and refuses or loses what is posted. Each event has its effect once, and
// each line stands once, in its thread's order. BOBBIN_REDELIVERY=seed and
// BOBBIN_WEATHER="seed lines threads" play others.
package deliveries
