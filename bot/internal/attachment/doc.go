// Package attachment fetches files that people attached to their Slack messages.
//
// The bot's token is sent only to Slack's own hosts, and redirects are not followed. A download is limited to 2
// MB of text or 5 MB of a picture. The content decides the kind of a file, not its name. A file that cannot be
// read is not an error: the attachment says why, and how to solve it. An error means that the fetch failed and
// has to be retried.
package attachment
