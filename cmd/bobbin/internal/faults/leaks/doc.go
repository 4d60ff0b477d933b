// Package leaks is tests alone: a day on which every remote and endpoint fails and repeats
// what it was sent, after which no secret is anywhere: logs, tables, prompts, Slack, files.
package leaks
