// Package event translates Slack payloads into the types of package workflow. A [Reader] turns messages,
// edits, button presses, shortcuts, reactions, slash commands and modals into a workflow.IncomingEvent, or
// returns the reason why the bot ignores them.
//
// It reads only the payload and makes no calls. The Inbox finds out whether a thread has a session and
// whether an event is a duplicate: the same event always has the same EventID.
//
// Payloads are parsed leniently (wire.go): a field of an unexpected type becomes empty instead of an error,
// so that a person's message is not lost because Slack added a new kind of block. Texts are untrusted data.
// Slack's escapes are decoded, and invisible characters are removed from commands and modals.
package event
