// Package attachment fetches files that people attached to their messages.
//
// The bot's token is sent to Slack's own hosts only, and no redirect is followed. A download
// is bounded (2 MB of text, 5 MB of a picture), and its content decides what kind it is,
// not its name. A file that cannot be read is no error: the attachment says why, and what
// to do about it. An error means that the fetch failed and has to be tried again.
package attachment
