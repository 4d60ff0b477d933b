// Package attachment downloads the files that people attached in a thread, once, and shows them to
// agents: a list of the files, short texts at once, pictures to models that see. It also reads what links to
// messages of Slack and references to issues, pull requests, runs, commits and files lead to.
package attachment
