// Package chat serves a page that looks and behaves like a small team chat, on a workspace of bot/slacktest.
// A visitor writes, presses buttons, edits and shares files as one of the workspace's people, and the app
// receives all of it over Slack's real protocol.
//
// Every page is rendered on the server (package view) from the current state of the workspace. Every action
// is a form (deeds.go), and works without the script. With the script, forms are sent in the background, and
// server-sent events (live.go) keep the page up to date: after a change in the workspace the server sends the
// regions of the page that differ, and the script replaces them without touching what a person is typing.
// Package pageauth decides who may use the page.
package chat
