// Package gateway receives what people do in Slack, over Socket Mode, and hands it to an
// [Inbox]. [Gateway.Run] ends with its context, or with a *bot.AuthError when Slack refuses
// the app for good.
//
// A [Gateway] keeps one or more connections. Each has one goroutine, which takes the events
// in their order: read the payload (package event), hand it to the Inbox, and acknowledge it
// when the Inbox has committed it. What the Inbox could not store is not acknowledged: Slack
// delivers it again, and tells a person who pressed a button that it failed. The
// Inbox drops duplicates; the gateway keeps no memory.
//
// Some buttons open a modal, and what is sent there is handled like a reply (form.go). A
// slash command opens a thread of its own before it goes to the Inbox as a mention
// (command.go); so does a message that somebody sends to the bot, by a shortcut or a reaction
// (sent.go). The App Home is published when somebody opens it (home.go).
//
// Slack sends an event over one of the connections. Messages of one thread that come a moment
// apart on two of them may be stored in either order, as they may with two replicas. All but
// the first connection are renewed once ahead of Slack, so that no two are renewed together;
// what was written while none was up is read again from Slack (backfill.go).
//
// Slack tells a client to reconnect by "disconnect", and slack-go then does so at once,
// thousands of times a second if need be. Each connection therefore opens its links through
// a reconnectLimiter, which spaces them out (reconnect.go).
package gateway
