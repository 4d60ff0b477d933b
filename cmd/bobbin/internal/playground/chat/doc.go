// Package chat serves a page that looks and behaves like a small team chat, on a workspace of
// bot/slacktest: whoever opens it writes, presses, edits and drops files as one of its people, and
// whatever happens reaches the app over Slack's real protocol.
//
// Every page is rendered on the server (package view) from the workspace as it stands. Every deed
// is a form (deeds.go), and works without the script. With it, the forms are sent in the
// background, and the page is kept alive by server-sent events (live.go): whenever anything in the
// workspace has changed, the regions of the page that look otherwise now are sent, and the script
// lays them over what is shown without touching what somebody is typing. Package door says who
// may use it.
package chat
