// Package event reads what Slack sends and makes the vocabulary of package workflow of it: a
// [Reader] turns messages, edits, presses, shortcuts, reactions, slash commands and modals
// into a workflow.Incoming, or says why they are nothing to the bot.
//
// It judges by the payload alone and asks nobody. Whether a thread has a session, and
// whether an event came before, is the Inbox's business: the same event always has the same
// EventID.
//
// Payloads are read leniently (wire.go): a field of another type than expected is empty
// instead of an error, so that a person's message is not lost because Slack invented a
// block. Its words are data, without invisible characters and without Slack's escapes.
package event
