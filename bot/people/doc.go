// Package people tells who somebody in Slack is, who is in a channel or a group, and what
// was said in a thread.
//
// What decisions rest on is read afresh each time ([Directory.Person], [Directory.Group]),
// and whatever cannot be read is an error, which the caller takes as a no. Names are kept
// for ten minutes, are of somebody's own choosing, and are for prompts and lines alone.
package people
