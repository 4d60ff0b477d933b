// Package render makes what people see in Slack: the messages of a posting with buttons and files
// ([Style.Message]), the card of a run ([CardFace]), modals ([Modal]) and App Homes ([HomePage]).
//
// The functions are pure: the same posting always has the same parts with the same keys, so that a later try
// can find out which of them are already in the thread. Everything stays within Slack's limits on lengths,
// blocks and options. The text of a message holds everything that its blocks show, for notifications and for
// clients without blocks.
//
// testdata/gallery holds a golden file of each kind of message as it is sent to Slack.
package render
