// Package links reads what the messages of a session point at: messages of Slack, what the configured
// repositories have at their git hosts and in their mirrors (package reference), and the issues of the
// configured trackers (package repo/tracker).
//
// Each is recorded as a note for the agents: data that nobody in the thread wrote, masked and fenced, and
// that allows nothing. The thread is told what was read, in one line for each message, and what could not be
// read and what to do about it.
package links
