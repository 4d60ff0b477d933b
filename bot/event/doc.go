// Package event translates what Slack sends into the vocabulary of package workflow: a
// [Reader] turns messages, edits, presses, shortcuts, reactions, slash commands and modals
// into an incoming.Event, or says why the bot ignores them.
//
// It decides by the payload alone and makes no calls. The Inbox finds out whether a thread
// has a session and whether an event is a duplicate: the same event always has the same
// EventID.
//
// Payloads are read leniently (wire.go): a field of another type than expected is empty
// instead of an error, so that a person's message is not lost because Slack invented a
// block. Its words are data, without invisible characters and without Slack's escapes.
package event
