// Package page serves a web page for every session and a list of sessions, for teams that look at a diagnosis
// together when the Slack thread is too narrow.
//
// A visitor is a person of the workspace, identified by a signed link that the bot showed only to that
// person, in a modal or in the App Home, or by Sign in with Slack if that is configured. A link expires after
// linkLasts. It opens one session, or the list and all sessions of it. A person may see a session if that
// person may read its channel: Slack is asked at every request (updates of an open page reuse the answer for
// 30 s), so that a person who left the channel or was deactivated sees nothing more through an old link.
// Guests see no code if the configuration says so.
//
// The pages load nothing from other servers, run only their own script, and work without it. When a session
// changes, the script posts the hashes of the parts that the page shows, and gets the parts that have
// changed. The server stores nothing about browsers, so any replica can answer, also after a restart.
package page
