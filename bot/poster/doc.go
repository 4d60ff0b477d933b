// Package poster posts what waits in an [Outbox], and redraws the cards of runs.
//
// A [Poster] drains the Outbox of a session, oldest first, and keeps the order whatever
// Slack answers: 429 is waited out, a permanent refusal is recorded, and any answer that
// leaves open whether the message was posted ends the drain with an error. The next drain
// finds the posting marked as tried and looks for its key in the thread's metadata before it
// posts again. Files follow the replies they belong to, and are recognised by their names
// (attach.go).
//
// A run's card is posted like a line, and then the [Painter] updates it from rows as the run
// goes on, independent of the order of the lines. Nothing is streamed, since Slack ends a
// stream after five minutes.
//
// A [GuestFilter] hides code in channels with guests. A [StatusIndicator] lets Slack show
// that the bot is at work.
package poster
