// Package poster says in Slack what waits in an [Outbox], and redraws the cards of runs.
//
// A [Poster] drains one session's Outbox at a time, oldest first, and holds the order
// whatever Slack answers: 429 is waited out, a permanent refusal is recorded, and anything
// that leaves open whether the message is there ends the drain with an error. The next drain
// finds the posting marked as tried and looks for its key among the thread's metadata before
// it posts again. Files follow the replies they belong to, and are known by their names
// (attach.go).
//
// A run's card is posted like a line and then written again by the [Painter], from rows, as
// the run goes on. It takes no part in the order of the lines and holds none of them up;
// nothing is streamed, since Slack ends a stream after five minutes.
//
// A [GuestFilter] keeps code back in channels with guests. A [StatusIndicator] lets Slack
// show that the bot is at work.
package poster
