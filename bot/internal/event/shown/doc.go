// Package shown reads what Slack shows of a message, from its JSON in an event or of the Web API: the text,
// blocks of every kind, legacy attachments, previews of links and of other messages, forwarded messages and
// tables. It makes no calls.
//
// Parsing is lenient: a value of an unexpected type is left out, and what was there but not read is named in
// Message.Unread. Nothing in a message is trusted. The sizes of a message are bounded here.
//
// Texts have Slack's marks and escapes, as a message's text has them
// (https://docs.slack.dev/messaging/formatting-message-text).
package shown
