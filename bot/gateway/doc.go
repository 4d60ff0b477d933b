// Package gateway receives what people do in Slack over Socket Mode and hands it to an [Inbox]. Start it with
// [Gateway.Run], which returns when its context ends, or with a *bot.AuthError when Slack refuses the app
// permanently.
//
// A [Gateway] keeps one or more connections. Each connection has one goroutine, which handles its events in
// order: it reads the payload (package event), hands it to the Inbox, and acknowledges it after the Inbox has
// committed it. An event that the Inbox could not store is not acknowledged: Slack delivers it
// again, or shows a person who pressed a button that the press failed. The Inbox drops duplicates;
// the gateway keeps no memory.
//
// Some buttons open a modal, whose submission is handled like a reply (form.go). A slash command opens a new
// thread before it goes to the Inbox as a mention (command.go). A message that a person sends to the bot by a
// shortcut or a reaction goes to the Inbox too (sent.go). The App Home is published when a person opens it
// (home.go).
//
// Slack sends each event over one of the connections. Messages of one thread that arrive at nearly the same
// time on two connections may be stored in either order, as with two replicas. All connections but the first
// are renewed once ahead of Slack, so that no two are renewed at the same time. Messages that were written
// while no connection was up are read from Slack's history (backfill.go).
//
// Slack asks a client to reconnect by "disconnect", and slack-go then reconnects at once, thousands of times
// a second if Slack repeats it. Each connection therefore opens its links through a reconnectLimiter, which
// spaces them out (reconnect.go).
package gateway
