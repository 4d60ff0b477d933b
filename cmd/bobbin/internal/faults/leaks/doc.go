// Package leaks tests that secrets do not get out: on one day every remote and endpoint fails and
// repeats what it was sent, and afterwards no secret is found in logs, tables, prompts, Slack or
// files. The package has tests alone.
package leaks
