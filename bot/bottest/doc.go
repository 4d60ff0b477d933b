// Package bottest sets up an office for tests: a Slack that behaves (package slacktest), two
// people in #bugs, the bot connected to it, and an Inbox and an Outbox in memory that keep
// the contracts of packages gateway and poster.
package bottest
