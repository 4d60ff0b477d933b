// Package attachment fetches files that people attached to their messages.
//
// The bot's token goes to Slack's own hosts alone, and no redirect is followed. What comes
// is bounded (2 MB of text, 5 MB of a picture) and judged by its content, whatever it is
// called. A file that cannot be read is no error: the attachment then says why, with a cure,
// in words for people. An error means that nothing is known of it yet.
package attachment
