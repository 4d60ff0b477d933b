// Package poster posts what waits in an [Outbox] and updates the cards of runs.
//
// A [Poster] drains the Outbox of a session, oldest posting first, and keeps that order. It waits out 429
// responses and records permanent refusals. Any response that leaves open whether the message was posted ends
// the drain with an error. The next drain sees that the posting was tried, and looks for its key in the
// metadata of the thread's messages before it posts again. Files follow the replies they belong to, and are
// recognised by their names (attach.go).
//
// A run's card is first posted like a line. The [Painter] then updates it from database rows during the run,
// independent of the order of the lines. Cards are not streamed, since Slack ends
// a stream after five minutes.
//
// A [GuestFilter] hides code in channels with guests. A [StatusIndicator] makes Slack show that the bot is at
// work.
package poster
