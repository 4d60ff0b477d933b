// Package leaks tests that secrets do not get out: every remote and endpoint fails and repeats what it was
// sent, and afterwards no secret may be found in logs, tables, prompts, Slack or files. The package contains
// only tests.
package leaks
