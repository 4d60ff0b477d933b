// Package people looks up users, the members of channels and groups, and the messages of threads.
//
// Data that decisions are based on is read from Slack each time ([Directory.Person], [Directory.Group]). If
// it cannot be read, that is an error, and the caller then refuses. Names are cached for ten minutes. People
// choose their names freely, so names are for prompts and display only.
package people
