// Package bottest sets up an Office for tests: a fake Slack (package slacktest) with two people in #bugs
// and the bot connected to it. It also has an Inbox and an Outbox in memory that keep the contracts of
// packages gateway and poster.
package bottest
