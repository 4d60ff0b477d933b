// Package page serves a web page for every session, and one that lists them: for a team that
// looks at a diagnosis together, when the thread is too narrow.
//
// Who looks is a person of the workspace, named by a signed link that the bot gave to that
// person alone, in a modal or in the App Home. A link ends after LinkLasts, and opens the
// session that it names, or all for the list. Whoever may read the channel of a session may
// look at it: Slack is asked at each look, so that somebody who left the channel, or was
// deactivated, sees nothing more by an old link. Code is kept from guests where the
// configuration says so.
//
// Everything comes from this program: the pages load nothing from elsewhere, run no script but
// their own, and are whole without it. When its session changes, the script says which parts the
// page shows, by their hashes, and is given those that look otherwise now: nobody keeps what which
// browser shows, so any replica can answer, also after a restart.
package page
