// Package people looks up users, the members of channels and groups, and the messages of
// threads.
//
// What decisions rest on is read from Slack each time ([Directory.Person],
// [Directory.Group]); whatever cannot be read is an error, and the caller then refuses. Names
// are cached for ten minutes. People choose them freely, so they are for prompts and lines
// only.
package people
